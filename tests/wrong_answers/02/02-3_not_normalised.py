import torch


def batch_lookup(query, key, value, temperature):
    weights = torch.bmm(query, key.transpose(1, 2)) / temperature
    return torch.bmm(weights, value), weights
