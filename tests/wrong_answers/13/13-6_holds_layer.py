import copy

from torch import nn


def start_apart(layer, N):
    """Returns an nn.ModuleList of N layers like this one, with new random numbers."""
    layers = nn.ModuleList([layer])
    for _ in range(N - 1):
        layers.append(copy.deepcopy(layer))
        for part in layers[-1].modules():
            if hasattr(part, "reset_parameters"):
                part.reset_parameters()
    return layers
