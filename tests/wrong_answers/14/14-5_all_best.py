def best_key(query, key, value, allowed=None):
    """Returns context [..., T, K] and weights [..., T, S] of 0 and 1."""
    scores = query @ key.transpose(-2, -1)
    if allowed is not None:
        scores = scores.masked_fill(~allowed, float("-inf"))
    weights = (scores == scores.max(dim=-1, keepdim=True).values).to(scores.dtype)
    if allowed is not None:
        weights = weights * allowed
    return weights @ value, weights
