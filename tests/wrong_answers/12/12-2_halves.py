import math

import torch


def shift(k, width):
    """Returns M [D, D]: codes @ M are the codes k positions further."""
    M = torch.zeros(width, width, dtype=torch.float64)
    for i in range(width // 2):
        b = k / 10000 ** (2 * i / width)
        M[i, i] = math.cos(b)
        M[i, width // 2 + i] = -math.sin(b)
        M[width // 2 + i, i] = math.sin(b)
        M[width // 2 + i, width // 2 + i] = math.cos(b)
    return M
