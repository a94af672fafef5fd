import torch

from softdict.layers import sinusoids


def turn_pairs(x, positions):
    """Returns x [T, K] with each pair turned by its position."""
    return x + sinusoids(torch.tensor(positions, dtype=torch.float64), x.shape[1])
