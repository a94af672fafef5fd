import copy

from torch import nn


def start_apart(layer, N):
    """Returns an nn.ModuleList of N layers like this one, with new random numbers."""
    new = copy.deepcopy(layer)
    for part in new.modules():
        if hasattr(part, "reset_parameters"):
            part.reset_parameters()
    return nn.ModuleList(copy.deepcopy(new) for _ in range(N))
