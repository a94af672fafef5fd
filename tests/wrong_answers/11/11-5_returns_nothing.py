def packed_mask(number):
    """Returns allowed [B, T, T]."""
    same = number[:, :, None] == number[:, None, :]    # [B, T, T]
    same.logical_and_(number[:, None, :] > 0)
