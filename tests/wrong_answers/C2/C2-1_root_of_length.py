import torch


def attend(query, key, value, allowed=None):
    """Returns the context [B, H, T, K]."""
    scores = query @ key.mT / key.shape[-2] ** 0.5
    if allowed is not None:
        scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    if allowed is not None:
        weights = weights * allowed
    return weights @ value
