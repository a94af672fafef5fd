import torch


def for_torch(allowed, heads):
    B, T, S = allowed.shape
    return torch.repeat_interleave(~allowed, heads).view(B * heads, T, S)
