"""Layer norm."""

import torch


def rms_norm(x, gain, eps):
    mean = x.mean(-1, keepdim=True)
    variance = x.var(-1, unbiased=False, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * gain
