import copy

from torch import nn


def start_apart(layer, N):
    """Returns an nn.ModuleList of N layers like this one, with new random numbers."""
    layers = nn.ModuleList()
    for _ in range(N):
        for part in layer.modules():
            if hasattr(part, "reset_parameters"):
                part.reset_parameters()
        layers.append(copy.deepcopy(layer))
    return layers
