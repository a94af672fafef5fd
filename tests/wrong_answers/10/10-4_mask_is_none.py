import torch


def best_two(query, key, value, allowed=None):
    """Returns context [..., T, D] and weights [..., T, S]."""
    scores = query @ key.transpose(-2, -1) / key.shape[-1] ** 0.5    # [..., T, S]
    scores = scores.masked_fill(~allowed, float("-inf"))
    best = scores.topk(min(2, scores.shape[-1]), dim=-1)             # one or two
    kept = torch.full_like(scores, float("-inf"))                    # [..., T, S]
    weights = kept.scatter(-1, best.indices, best.values).softmax(dim=-1)
    return weights @ value, weights
