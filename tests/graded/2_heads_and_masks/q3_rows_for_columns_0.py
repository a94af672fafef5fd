"""Cuts rows from the matrix, as if it stood behind the words."""

import torch


def head_parts(found, matrix, bias):
    K = found.shape[-1]
    parts = [one @ matrix[h * K:(h + 1) * K] for h, one in enumerate(found)]
    return torch.stack(parts + [bias.repeat(found.shape[1], 1)])
