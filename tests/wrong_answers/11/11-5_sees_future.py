def packed_mask(number):
    """Returns allowed [B, T, T]."""
    same = number[:, :, None] == number[:, None, :]    # [B, T, T]
    return same & (number != 0)[:, None, :]
