import torch

from softdict.masks import causal_padding_mask


def may_look(lengths, size):
    """Returns allowed [B, T, T], True where word t may look at word s."""
    return causal_padding_mask(torch.tensor(lengths), size)
