import copy

from torch import nn


def start_apart(layer, N):
    """Returns an nn.ModuleList of N layers like this one, with new random numbers."""
    layers = nn.ModuleList(copy.deepcopy(layer) for _ in range(N))
    for part in layers.modules():
        if isinstance(part, nn.Linear):
            bound = part.in_features ** -0.5
            nn.init.uniform_(part.weight, -bound, bound)
        elif isinstance(part, nn.LayerNorm):
            part.reset_parameters()
    return layers
