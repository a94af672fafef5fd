import torch


def for_torch(allowed, heads):
    """Returns the attn_mask [B*H, T, S] for nn.MultiheadAttention."""
    numbers = torch.where(allowed, 1.0, float("-inf"))
    return numbers.repeat_interleave(heads, dim=0)
