def best_two(query, key, value, allowed=None):
    """Returns what was found [..., T, D] and weights [..., T, S]."""
    B, H, T, K = query.shape
    scores = query @ key.transpose(2, 3) / K ** 0.5
    if allowed is not None:
        scores = scores.masked_fill(~allowed, float("-inf"))
    second = scores.topk(2, dim=3).values[:, :, :, 1:]
    weights = scores.masked_fill(scores < second, float("-inf")).softmax(dim=3)
    return weights @ value, weights
