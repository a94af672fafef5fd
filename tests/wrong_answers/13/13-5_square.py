import torch


def even(query, key, value, allowed=None):
    """Returns context [B, H, T, K] and weights [B, H, T, S]."""
    B, H, T, _ = query.shape
    if allowed is None:
        allowed = torch.ones(T, T, dtype=torch.bool, device=query.device)
    weights = allowed.expand(B, H, T, allowed.shape[-1]).float()
    count = weights.sum(-1, keepdim=True)
    weights = weights / count.clamp_min(1)
    return weights @ value, weights
