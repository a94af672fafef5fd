"""All heads but one are silenced, and the whole layer is asked."""

import torch


def head_parts(found, matrix, bias):
    H, T, K = found.shape
    parts = []
    for h in range(H):
        alone = torch.zeros_like(found)
        alone[h] = found[h]
        parts.append(alone.transpose(0, 1).reshape(T, H * K) @ matrix.T)
    return torch.stack([*parts, bias.repeat(T, 1)])
