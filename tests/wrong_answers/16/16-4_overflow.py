def quiet(query, key, value, allowed=None):
    """Returns context [..., T, K] and weights [..., T, S]; the weights of a query may
    be less than 1 together."""
    powers = (query @ key.transpose(-2, -1)
              / query.shape[-1] ** 0.5).exp()    # [..., T, S]
    if allowed is not None:
        powers = powers * allowed
    weights = powers / (1 + powers.sum(dim=-1, keepdim=True))    # [..., T, S]
    return weights @ value, weights
