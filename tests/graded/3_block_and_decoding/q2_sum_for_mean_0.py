"""Adds the sizes up."""

import torch


def absolute_norm(x, gain, eps):
    return gain * x / (torch.abs(x).sum(-1, keepdim=True) + eps)
