from softdict.attention import attention


def quiet(query, key, value, allowed=None):
    """Returns context [..., T, K] and weights [..., T, S]; the weights of a query may
    be less than 1 together."""
    return attention(query, key, value, allowed)
