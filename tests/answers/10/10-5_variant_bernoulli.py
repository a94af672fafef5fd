import torch


def drop_weights(weights, p, training):
    """Returns weights [B, H, T, S]; in training some are 0, and the others larger."""
    if training:
        stays = torch.bernoulli(torch.full_like(weights, 1 - p))
        weights = torch.where(stays > 0, weights / (1 - p), 0.0)
    return weights
