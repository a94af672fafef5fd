def quiet(query, key, value, allowed=None):
    """Returns context [..., T, K] and weights [..., T, S]; the weights of a query may
    be less than 1 together."""
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5    # [..., T, S]
    if allowed is not None:
        scores = scores.masked_fill(~allowed, float("-inf"))
    top = scores.amax(dim=-1, keepdim=True).clamp(min=0.0)             # [..., T, 1]
    powers = (scores - top).exp()                                      # [..., T, S]
    weights = powers / ((-top).exp()
                        + powers.sum(dim=-1, keepdim=True))    # [..., T, S]
    return weights @ value, weights
