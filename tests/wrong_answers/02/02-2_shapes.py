import torch


def vector_lookup(query, key, value, temperature):
    weights = torch.softmax(torch.cosine_similarity(query, key, dim=1) / temperature,
                            dim=0)
    return value @ weights, weights
