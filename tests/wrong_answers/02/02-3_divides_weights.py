import torch


def batch_lookup(query, key, value, temperature):
    scores = torch.bmm(query, key.transpose(1, 2))
    weights = torch.softmax(scores, dim=2) / temperature
    return torch.bmm(weights, value), weights
