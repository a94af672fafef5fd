import torch


def near(query, key):
    """Returns scores [..., T, S]: the nearer, the higher."""
    return -torch.cdist(query, key) / 2
