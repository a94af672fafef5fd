import torch


def even(query, key, value, allowed=None):
    """Returns context [B, H, T, K] and weights [B, H, T, S]."""
    if allowed is None:
        allowed = torch.ones(len(query), 1, 1, key.shape[-2], dtype=torch.bool)
    weights = allowed / allowed.sum(dim=-1, keepdim=True).clamp(min=1)
    return weights @ value, weights
