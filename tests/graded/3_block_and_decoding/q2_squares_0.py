"""RMSNorm."""

import torch


def absolute_norm(x, gain, eps):
    return gain * x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps)
