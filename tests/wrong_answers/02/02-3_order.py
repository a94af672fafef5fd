import torch


def batch_lookup(query, key, value, temperature):
    weights = torch.softmax(torch.bmm(query, key.transpose(1, 2)) / temperature, dim=2)
    return torch.bmm(value, weights), weights
