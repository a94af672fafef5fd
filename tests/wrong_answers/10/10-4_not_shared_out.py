def best_two(query, key, value, allowed=None):
    """Returns what was found [..., T, D] and weights [..., T, S]."""
    scores = query @ key.transpose(-2, -1) / key.shape[-1] ** 0.5
    if allowed is not None:
        scores = scores.masked_fill(~allowed, float("-inf"))
    second = scores.topk(2, dim=-1).values[..., 1:]
    weights = scores.softmax(dim=-1) * (scores >= second)
    return weights @ value, weights
