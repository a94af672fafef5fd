import math

import torch


def shift(k, width):
    """Returns M [D, D]: codes @ M are the codes k positions further."""
    one = torch.zeros(width, width, dtype=torch.float64)
    for i in range(0, width, 2):
        b = 10000 ** (-i / width)
        one[i:i + 2, i:i + 2] = torch.tensor([[math.cos(b), -math.sin(b)],
                                              [math.sin(b), math.cos(b)]])
    return torch.linalg.matrix_power(one, k)
