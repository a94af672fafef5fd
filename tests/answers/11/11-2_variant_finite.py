import torch


def masked_attention(query, key, value, allowed):
    """Returns answers [..., T, D] and weights [..., T, S]."""
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5    # [..., T, S]
    scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1).masked_fill(~allowed, 0.0)
    return weights @ value, weights
