import torch


def batch_lookup(query, key, value, temperature):
    weights = torch.softmax(torch.bmm(query, key.transpose(1, 2)) / temperature, dim=0)
    return torch.bmm(weights, value), weights
