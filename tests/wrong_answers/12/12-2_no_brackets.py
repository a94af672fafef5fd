import math

import torch


def shift(k, width):
    """Returns M [D, D]: codes @ M are the codes k positions further."""
    M = torch.zeros(width, width, dtype=torch.float64)
    for i in range(width // 2):
        b = k / 10000 ** 2 * i / width
        M[2 * i, 2 * i] = math.cos(b)
        M[2 * i, 2 * i + 1] = -math.sin(b)
        M[2 * i + 1, 2 * i] = math.sin(b)
        M[2 * i + 1, 2 * i + 1] = math.cos(b)
    return M
