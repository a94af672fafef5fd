import torch


def batch_lookup(query, key, value, temperature):
    B, S, K = key.shape
    scores = torch.bmm(query, key.reshape(B, K, S)) / temperature
    weights = torch.softmax(scores, dim=2)
    return torch.bmm(weights, value), weights
