import torch
from softdict.vocab import PAD
from torch.nn import functional


def smoothed(logits, target, smoothing):
    """Returns the smoothed loss of the places whose target is no PAD."""
    wanted = torch.full_like(logits, smoothing / (logits.shape[1] - 1))
    wanted[:, PAD] = 0
    wanted += functional.one_hot(target, logits.shape[1])
    real = target != PAD
    return functional.cross_entropy(logits[real], wanted[real])
