import copy

from torch import nn


def start_apart(layer, N):
    """Returns an nn.ModuleList of N layers like this one, with new random numbers."""
    layers = nn.ModuleList(copy.deepcopy(layer) for _ in range(N))
    for number in layers.parameters():
        nn.init.uniform_(number, -0.2, 0.2)
    return layers
