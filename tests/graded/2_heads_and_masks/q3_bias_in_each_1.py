"""The bias is in the part of each head, and there once more."""

import torch


def head_parts(found, matrix, bias):
    K = found.shape[-1]
    parts = []
    for h, one in enumerate(found):
        parts.append(torch.nn.functional.linear(
            one, matrix[:, h * K:(h + 1) * K], bias))
    return torch.stack(parts + [bias.repeat(found.shape[1], 1)])
