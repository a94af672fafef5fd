from softdict.masks import causal_mask


def packed_mask(number):
    B, T = number.shape
    first = number[0]
    same = first[:, None] == first[None, :]
    mask = same & causal_mask(T) & (first != 0)
    return mask.expand(B, T, T)
