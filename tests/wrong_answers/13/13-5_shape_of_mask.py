import torch


def even(query, key, value, allowed=None):
    """Returns context [B, H, T, K] and weights [B, H, T, S]."""
    if allowed is None:
        allowed = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool,
                             device=query.device)
    weights = allowed.to(value.dtype)
    weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1)
    return weights @ value, weights
