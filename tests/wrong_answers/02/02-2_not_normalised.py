import torch


def vector_lookup(query, key, value, temperature):
    weights = (torch.cosine_similarity(query, key, dim=1) / temperature).exp()
    return weights @ value, weights
