import torch

from softdict.layers import sinusoids


def many_hands(positions, width):
    """Returns codes [T, D]: sine and cosine of hand 0, then of hand 1, ..."""
    return sinusoids(torch.tensor(positions), width)
