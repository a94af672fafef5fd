"""Nothing is added: a row of zeros is divided by 0."""

import torch


def absolute_norm(x, gain, eps):
    return gain * x / torch.abs(x).mean(-1, keepdim=True)
