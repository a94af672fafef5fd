import torch


def even(query, key, value, allowed=None):
    """Returns context [B, H, T, K] and weights [B, H, T, S]."""
    shape = *query.shape[:-1], key.shape[-2]
    if allowed is None:
        allowed = torch.ones(shape, dtype=torch.bool)
    marks = allowed.broadcast_to(shape).to(query.dtype)
    weights = marks / marks.sum(dim=-1, keepdim=True).clamp(min=1)
    return weights @ key, weights
