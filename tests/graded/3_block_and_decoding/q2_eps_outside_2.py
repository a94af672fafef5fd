"""eps is added to the root."""

import torch


def rms_norm(x, gain, eps):
    root = torch.sqrt(torch.mean(x ** 2, -1, keepdim=True))
    return gain * x / (root + eps)
