import torch

from softdict.masks import hidden_mask


def for_torch(allowed, heads):
    """Returns the attn_mask [B*H, T, S] for nn.MultiheadAttention."""
    return torch.stack([hidden_mask(table) for table in allowed for _ in range(heads)])
