from softdict.masks import causal_mask


def packed_mask(number):
    same = number[:, :, None] == number[:, None, :]
    allowed = same & causal_mask(number.shape[1]) & number[:, None, :] > 0
    return allowed
