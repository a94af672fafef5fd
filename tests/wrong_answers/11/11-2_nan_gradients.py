import torch


def masked_attention(query, key, value, allowed):
    """Returns answers [..., T, D] and weights [..., T, S]."""
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5    # [..., T, S]
    numbers = torch.zeros(allowed.shape).masked_fill(~allowed, float("-inf"))
    weights = (scores + numbers).softmax(dim=-1).nan_to_num(0.0)
    return weights @ value, weights
