import torch


def masked_attention(query, key, value, allowed):
    """Returns answers [..., T, D] and weights [..., T, S]."""
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5    # [..., T, S]
    sees = allowed.any(dim=-1, keepdim=True)
    scores = torch.where(allowed | ~sees, scores, -torch.inf)
    weights = torch.where(sees, scores.softmax(dim=-1), 0.0)
    return weights @ value, weights
