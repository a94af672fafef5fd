from softdict.attention import attention


def right_layer(query, key, value):
    """Returns new words [B, T, D] and weights [B, T, S]."""
    return attention(query, key, value)
