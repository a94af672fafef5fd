import torch

from softdict.layers import sinusoids


def embed_new(table, ids, length):
    """Returns the vectors [N, T, D] of new words behind `length` others."""
    N, T = ids.shape
    width = table.shape[1]
    positions = torch.arange(T) + length
    return table[ids] * width ** 0.5 + sinusoids(positions, width).expand(N, T, width)
