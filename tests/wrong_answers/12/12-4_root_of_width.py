import torch

from softdict.layers import sinusoids


def with_positions(x):
    """x [B, T, D]; returns x with codes of positions [B, T, D]."""
    B, T, D = x.shape
    return x * D ** 0.5 + sinusoids(torch.arange(T), D)
