import torch


def batch_lookup(query, key, value, temperature):
    scores = query @ key[0].T                                # [B, T, S]
    weights = torch.softmax(scores / temperature, dim=-1)
    return weights @ value, weights
