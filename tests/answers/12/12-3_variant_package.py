import torch

from softdict.layers import rotate


def turn_pairs(x, positions):
    """Returns x [T, K] with each pair turned by its position."""
    return rotate(x, torch.tensor(positions))
