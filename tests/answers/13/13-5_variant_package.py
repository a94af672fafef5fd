from softdict.attention import attention


def even(query, key, value, allowed=None):
    """Returns context [B, H, T, K] and weights [B, H, T, S]."""
    # scores of 0: softmax shares evenly
    return attention(0 * query, key, value, allowed)
