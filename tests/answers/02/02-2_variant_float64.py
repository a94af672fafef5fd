import torch


def vector_lookup(query, key, value, temperature):
    query, key, value = query.double(), key.double(), value.double()
    weights = torch.softmax(torch.cosine_similarity(query, key, dim=1) / temperature,
                            dim=0)
    return weights @ value, weights
