"""The weight times the value, as if no other key lost anything."""

import torch


def slopes(scores, values, temperature):
    weights = torch.softmax(scores / temperature, dim=0)
    return values * weights / temperature
