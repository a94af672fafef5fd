def best_two(query, key, value, allowed=None):
    """Returns what was found [..., T, D] and weights [..., T, S]."""
    scores = query @ key.transpose(-2, -1) / key.shape[-1] ** 0.5
    second = scores.topk(2, dim=-1).values[..., 1:]
    weights = scores.masked_fill(scores < second, float("-inf")).softmax(dim=-1)
    if allowed is not None:
        weights = scores.masked_fill((scores < second) | ~allowed,
                                     float("-inf")).softmax(dim=-1)
    return weights @ value, weights
