def best_two(query, key, value, allowed=None):
    """Returns what was found [..., T, D] and weights [..., T, S]."""
    scores = query @ key.transpose(-2, -1) / key.shape[-1] ** 0.5
    if allowed is not None:
        scores = scores.masked_fill(~allowed, float("-inf"))
    third = scores.topk(3, dim=-1).values[..., 2:]
    weights = scores.masked_fill(scores < third, float("-inf")).softmax(dim=-1)
    return weights @ value, weights
