import math

import torch


def shift(k, width):
    """Returns M [D, D]: codes @ M are the codes k positions further."""
    M = torch.zeros(width, width, dtype=torch.float64)
    for i in range(0, width, 2):
        first, second = (k / 10000 ** (2 * j / width) for j in (i, i + 1))
        M[i, i], M[i, i + 1] = math.cos(first), -math.sin(second)
        M[i + 1, i], M[i + 1, i + 1] = math.sin(first), math.cos(second)
    return M
