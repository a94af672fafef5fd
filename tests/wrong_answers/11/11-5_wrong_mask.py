from softdict.masks import causal_mask


def packed_mask(number):
    """Returns allowed [B, T, T]."""
    same = number[:, :, None] == number[:, None, :] + 1    # [B, T, T]
    words = (number != 0)[:, None, :]
    return same & words & causal_mask(number.shape[1])
