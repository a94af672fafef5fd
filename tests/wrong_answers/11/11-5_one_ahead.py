import torch


def packed_mask(number):
    """Returns allowed [B, T, T]."""
    same = number[:, :, None] == number[:, None, :]    # [B, T, T]
    nearly = torch.ones(same.shape[1:], dtype=torch.bool).tril(1)
    return same & nearly & (number != 0)[:, None, :]
