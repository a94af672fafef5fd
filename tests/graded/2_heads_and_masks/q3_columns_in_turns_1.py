"""Head h takes each H-th column."""

import torch


def head_parts(found, matrix, bias):
    H, T, K = found.shape
    pieces = matrix.reshape(len(matrix), K, H)
    parts = torch.einsum("htk,dkh->htd", found, pieces)
    return torch.cat([parts, bias.expand(1, T, len(bias))])
