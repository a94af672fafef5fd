import torch


def even(query, key, value, allowed=None):
    """Returns context [B, H, T, K] and weights [B, H, T, S]."""
    shape = *query.shape[:-1], key.shape[-2]
    weights = torch.full(shape, 1 / key.shape[-2])
    return weights @ value, weights
