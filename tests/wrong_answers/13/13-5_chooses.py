from softdict.attention import attention


def even(query, key, value, allowed=None):
    """Returns context [B, H, T, K] and weights [B, H, T, S]."""
    return attention(query, key, value, allowed)
