from softdict.masks import causal_mask


def packed_mask(number):
    """Returns allowed [B, T, T]."""
    same = number[:, :, None] == number[:, None, :]    # [B, T, T]
    return same | causal_mask(number.shape[1])
