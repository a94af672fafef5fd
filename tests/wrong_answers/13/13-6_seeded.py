import copy

import torch
from torch import nn


def start_apart(layer, N):
    """Returns an nn.ModuleList of N layers like this one, with new random numbers."""
    torch.manual_seed(0)
    layers = nn.ModuleList(copy.deepcopy(layer) for _ in range(N))
    for part in layers.modules():
        if hasattr(part, "reset_parameters"):
            part.reset_parameters()
    return layers
