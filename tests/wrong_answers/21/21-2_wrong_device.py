import torch
from softdict.vocab import EOS, PAD


def text_perplexity(losses, target, ends=True):
    counted = target != PAD
    if not ends:
        counted = counted & (target != EOS)
    weights = torch.ones(losses.shape, dtype=losses.dtype)
    weights = weights * counted
    return ((losses * weights).sum() / weights.sum()).exp()
