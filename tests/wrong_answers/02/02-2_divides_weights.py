import torch


def vector_lookup(query, key, value, temperature):
    weights = torch.softmax(torch.cosine_similarity(query, key, dim=1),
                            dim=0) / temperature
    return weights @ value, weights
