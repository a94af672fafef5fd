import torch


def attend(query, key, value, allowed=None):
    """Returns the context [B, H, T, K]."""
    return torch.nn.functional.scaled_dot_product_attention(query, key, value, allowed)
