import torch


def batch_lookup(query, key, value, temperature):
    """Returns the answers [B, T, D] and the weights [B, T, S]."""
    weights = torch.softmax(query @ key.transpose(1, 2) / temperature, dim=2)
    return weights @ value[0], weights
