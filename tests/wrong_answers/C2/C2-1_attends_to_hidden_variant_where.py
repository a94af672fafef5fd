import torch


def attend(query, key, value, allowed=None):
    scores = torch.einsum("bhtk,bhsk->bhts", query, key) / query.shape[-1] ** 0.5
    if allowed is not None:
        scores = torch.where(allowed, scores, torch.full_like(scores, -1e9))
    return torch.einsum("bhts,bhsk->bhtk", scores.softmax(-1), value)
