import torch


def vector_lookup(query, key, value, temperature):
    scores = torch.stack([query @ row / (query.norm() * row.norm()) / temperature
                          for row in key])
    weights = scores / scores.sum()
    return weights @ value, weights
