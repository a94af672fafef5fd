"""Only the slope of the key's own weight."""

import torch


def slopes(scores, values, temperature):
    weights = torch.softmax(scores / temperature, dim=0)
    return (weights - weights ** 2) * values / temperature
