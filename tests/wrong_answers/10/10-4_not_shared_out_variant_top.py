import torch


def best_two(query, key, value, allowed=None):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if allowed is not None:
        scores = scores.masked_fill(~allowed, -float("inf"))
    full = torch.softmax(scores, dim=-1)
    top = full.topk(min(2, full.shape[-1]), dim=-1)
    weights = torch.zeros_like(full).scatter(-1, top.indices, top.values)
    return weights @ value, weights
