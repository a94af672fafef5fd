def quiet(query, key, value, allowed=None):
    """Returns context [..., T, K] and weights [..., T, S]; the weights of a query may
    be less than 1 together."""
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5    # [..., T, S]
    weights = scores.sigmoid()                                         # [..., T, S]
    if allowed is not None:
        weights = weights * allowed
    return weights @ value, weights
