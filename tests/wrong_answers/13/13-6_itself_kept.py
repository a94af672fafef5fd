import copy

from torch import nn


def start_apart(layer, N):
    """Returns an nn.ModuleList of N layers like this one, with new random numbers."""
    def redraw(part):
        for inner in part.children():
            if hasattr(inner, "reset_parameters"):
                inner.reset_parameters()
            redraw(inner)

    layers = nn.ModuleList(copy.deepcopy(layer) for _ in range(N))
    for new in layers:
        redraw(new)
    return layers
