import torch


def batch_lookup(query, key, value, temperature):
    weights = torch.softmax(torch.bmm(key, query.transpose(1, 2)) / temperature, dim=1)
    return torch.bmm(weights.transpose(1, 2), value), weights
