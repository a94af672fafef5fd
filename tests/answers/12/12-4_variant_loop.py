import torch

from softdict.layers import sinusoids


def with_positions(x):
    """x [B, T, D]; returns x with codes of positions [B, T, D]."""
    B, T, D = x.shape
    coded = x.clone()
    for t in range(T):
        coded[:, t] += sinusoids(torch.tensor([t]), D)[0]
    return coded
