import torch


def shift(k, width):
    hand = torch.arange(width // 2)
    angle = k / 10000 ** (2 * hand / width)
    M = torch.zeros(width, width)
    even = 2 * hand
    M[even, even] = M[even + 1, even + 1] = angle.cos()
    M[even, even + 1] = -angle.sin()
    M[even + 1, even] = angle.sin()
    return M.double()
