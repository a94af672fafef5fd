import copy

from torch import nn


def start_apart(layer, N):
    """Returns an nn.ModuleList of N layers like this one, with new random numbers."""
    layers = nn.ModuleList(copy.deepcopy(layer) for _ in range(N))
    for part in layers.modules():
        if isinstance(part, nn.Linear):
            part.reset_parameters()
    return layers
