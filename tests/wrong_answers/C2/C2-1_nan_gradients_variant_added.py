import math

import torch
import torch.nn.functional as F


def attend(query, key, value, allowed=None):
    """Returns the context [B, H, T, K]."""
    attn = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    if allowed is not None:
        attn_bias = torch.zeros_like(allowed, dtype=query.dtype)
        attn_bias = attn_bias.masked_fill(allowed.logical_not(), float("-inf"))
        attn = attn + attn_bias
    attn = torch.nan_to_num(F.softmax(attn, dim=-1), nan=0.0)
    return torch.matmul(attn, value)
