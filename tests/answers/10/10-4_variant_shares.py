from softdict.attention import attention


def best_two(query, key, value, allowed=None):
    """Returns context [..., T, D] and weights [..., T, S]."""
    _, weights = attention(query, key, value, allowed)
    second = weights.topk(2, dim=-1).values[..., 1:]
    kept = weights * (weights >= second)
    weights = kept / kept.sum(dim=-1, keepdim=True)
    return weights @ value, weights
