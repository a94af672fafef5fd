import torch


def attend(query, key, value, allowed=None):
    """Returns the context [B, H, T, K]."""
    scores = query @ key.mT / query.shape[-1] ** 0.5
    weights = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min).softmax(-1)
    return (weights * allowed) @ value
