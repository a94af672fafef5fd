import torch


def batch_lookup(query, key, value, temperature):
    shops, queries, width = query.shape
    scores = query.reshape(-1, width) @ key.reshape(-1, width).T / temperature
    weights = torch.softmax(scores, dim=1)[:, :key.shape[1]].reshape(shops, queries, -1)
    return torch.bmm(weights, value), weights
