from softdict.attention import attention


def masked_attention(query, key, value, allowed):
    """Returns answers [..., T, D] and weights [..., T, S]."""
    return attention(query, key, value, allowed)
