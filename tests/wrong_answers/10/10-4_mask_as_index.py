import torch


def best_two(query, key, value, allowed=None):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if allowed is not None:
        scores[~allowed] = -float("inf")
    top = torch.topk(scores, k=min(2, scores.shape[-1]), dim=-1)
    weights = torch.zeros_like(scores)
    weights.scatter_(-1, top.indices, torch.softmax(top.values, dim=-1))
    return weights @ value, weights
