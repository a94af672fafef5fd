import torch


def drop_weights(weights, p, training):
    """Returns weights [B, H, T, S]; in training some are 0, and the others larger."""
    if training:
        weights[torch.rand(weights.shape) < p] = 0
        weights /= 1 - p
    return weights
