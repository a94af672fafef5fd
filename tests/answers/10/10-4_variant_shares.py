import torch
from softdict.attention import attention


def best_two(query, key, value, allowed=None):
    """Returns context [..., T, D] and weights [..., T, S]."""
    _, weights = attention(query, key, value, allowed)
    best = weights.sort(dim=-1, descending=True).indices[..., :2]
    kept = torch.zeros_like(weights).scatter(-1, best, weights.gather(-1, best))
    weights = kept / kept.sum(dim=-1, keepdim=True)
    return weights @ value, weights
