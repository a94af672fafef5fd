import torch


def drop_weights(weights, p, training):
    """Returns weights [B, H, T, S]; in training some are 0, and the others larger."""
    if not training:
        return weights.detach()
    return weights * (torch.rand_like(weights) >= p) / (1 - p)
