import math

import torch


def turn_pairs(x, positions):
    """Returns x [T, K] with each pair turned by its position."""
    T, K = x.shape
    turned = torch.empty_like(x)
    for t in range(T):
        for i in range(K // 2):
            angle = positions[t] / 10000 ** 2 * i / K
            a, b = x[t, 2 * i], x[t, 2 * i + 1]
            turned[t, 2 * i] = a * math.cos(angle) - b * math.sin(angle)
            turned[t, 2 * i + 1] = a * math.sin(angle) + b * math.cos(angle)
    return turned
