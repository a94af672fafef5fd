import copy

import torch
from torch import nn


def start_apart(layer, N):
    """Returns an nn.ModuleList of N layers like this one, with new random numbers."""
    layers = nn.ModuleList()
    for _ in range(N):
        torch.manual_seed(0)
        layers.append(copy.deepcopy(layer))
        for part in layers[-1].modules():
            if hasattr(part, "reset_parameters"):
                part.reset_parameters()
    return layers
