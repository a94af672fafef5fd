import torch


def drop_weights(weights, p, training):
    """Returns weights [B, H, T, S]; in training some are 0, and the others larger."""
    if not training:
        return weights
    kept = weights * (torch.rand(weights.shape) >= p)
    return kept / kept.sum(dim=-1, keepdim=True).clamp(min=1e-9)
