import torch


def fixed_lookup(scores, value, temperature):
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights
