import torch

from softdict.layers import sinusoids


def embed_new(table, ids, length):
    """Returns the vectors [N, T, D] of new words behind `length` others."""
    positions = torch.arange(length + 1, length + 1 + ids.shape[1])    # [T]
    codes = sinusoids(positions, table.shape[1])               # [T, D]
    return table[ids] * table.shape[1] ** 0.5 + codes          # [N, T, D]
