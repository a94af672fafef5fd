"""Divides by the length."""

import torch


def rms_norm(x, gain, eps):
    return gain * x / torch.sqrt((x ** 2).sum(-1, keepdim=True) + eps)
