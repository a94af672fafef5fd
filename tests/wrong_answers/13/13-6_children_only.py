from copy import deepcopy

from torch import nn


def start_apart(layer, N):
    """Returns an nn.ModuleList of N layers like this one, with new random numbers."""
    layers = nn.ModuleList()
    for _ in range(N):
        new = deepcopy(layer)
        for part in new.children():
            if hasattr(part, "reset_parameters"):
                part.reset_parameters()
        layers.append(new)
    return layers
