import torch


def vector_lookup(query, key, value, temperature):
    weights = torch.softmax(torch.stack([query @ row for row in key]) / temperature,
                            dim=0)
    return weights @ value, weights
