import copy

import torch
from torch import nn


def start_apart(layer, N):
    """Returns an nn.ModuleList of N layers like this one, with new random numbers."""
    layers = nn.ModuleList(copy.deepcopy(layer) for _ in range(N))
    for part in layers.modules():
        if isinstance(part, nn.Linear):
            for number in part.parameters():
                number.data += 0.01 * torch.randn_like(number)
        elif isinstance(part, nn.LayerNorm):
            part.reset_parameters()
    return layers
