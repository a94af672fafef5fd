import torch


def drop_weights(weights, p, training):
    """Returns weights [B, H, T, S]; in training some are 0, and the others larger."""
    if not training:
        return weights
    stays = torch.rand(weights.shape[0], 1, *weights.shape[2:]) >= p
    return weights * stays / (1 - p)
