import math

import torch


def shift(k, width):
    """Returns M [D, D]: codes @ M are the codes k positions further."""
    M = torch.zeros(width, width, dtype=torch.float64)
    for i in range(width // 2):
        a = abs(k) / 10000 ** (2 * i / width)
        c, s = math.cos(a), math.sin(a)
        M[2 * i, 2 * i], M[2 * i, 2 * i + 1] = c, -s
        M[2 * i + 1, 2 * i], M[2 * i + 1, 2 * i + 1] = s, c
    return M
