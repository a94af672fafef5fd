import torch
from softdict.attention import attention


def best_key(query, key, value, allowed=None):
    """Returns context [..., T, K] and weights [..., T, S] of 0 and 1."""
    _, soft = attention(query, key, value, allowed)
    scores = query @ key.mT
    seen = torch.ones_like(scores) if allowed is None else allowed.expand_as(scores)
    best = scores.masked_fill(seen == 0, -torch.inf).argmax(dim=-1, keepdim=True)
    hard = torch.zeros_like(scores).scatter(-1, best, 1.0) * seen
    weights = hard + soft - soft.detach()    # the gradient is that of the softmax
    return weights @ value, weights
