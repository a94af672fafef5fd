import torch


def packed_mask(number):
    """Returns allowed [B, T, T]."""
    later = torch.ones(number.shape[1], number.shape[1], dtype=torch.bool).triu(1)
    other = number[:, :, None] != number[:, None, :]
    return ~(other | later | (number == 0)[:, None, :])
