import copy

from torch import nn


def start_apart(layer, N):
    """Returns an nn.ModuleList of N layers like this one, with new random numbers."""
    def redraw(part):
        if hasattr(part, "reset_parameters"):
            part.reset_parameters()

    return nn.ModuleList(copy.deepcopy(layer).apply(redraw) for _ in range(N))
