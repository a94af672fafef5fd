import torch


def vector_lookup(query, key, value, temperature):
    scores = torch.stack([query @ row / row.norm().clamp(min=1e-12) for row in key])
    weights = torch.softmax(scores / temperature, dim=0)
    return weights @ value, weights
