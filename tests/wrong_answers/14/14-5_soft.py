from softdict.attention import attention


def best_key(query, key, value, allowed=None):
    """Returns context [..., T, K] and weights [..., T, S] of 0 and 1."""
    return attention(query, key, value, allowed)
