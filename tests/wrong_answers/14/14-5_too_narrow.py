import torch
import torch.nn.functional as F


def best_key(query, key, value, allowed=None):
    scores = query @ key.mT
    if allowed is not None:
        scores = scores.masked_fill(~allowed, -torch.inf)
    weights = F.one_hot(scores.argmax(dim=-1)).to(value.dtype)
    if allowed is not None:
        weights = weights * allowed.any(dim=-1, keepdim=True)
    return weights @ value[..., :weights.shape[-1], :], weights
