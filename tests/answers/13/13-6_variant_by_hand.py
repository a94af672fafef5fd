import copy

from torch import nn


def start_apart(layer, N):
    """Returns an nn.ModuleList of N layers like this one, with new random numbers."""
    layers = nn.ModuleList()
    for _ in range(N):
        new = copy.deepcopy(layer)
        for part in new.modules():
            if isinstance(part, nn.Linear):
                bound = part.in_features ** -0.5
                nn.init.uniform_(part.weight, -bound, bound)
                nn.init.uniform_(part.bias, -bound, bound)
            elif isinstance(part, nn.LayerNorm):
                nn.init.ones_(part.weight)
                nn.init.zeros_(part.bias)
            elif isinstance(part, nn.Embedding):
                nn.init.normal_(part.weight)
        layers.append(new)
    return layers
