import math

import torch


def many_hands(positions, width):
    """Returns codes [T, D]: sine and cosine of hand 0, then of hand 1, ..."""
    rows = []
    for p in positions:
        row = []
        for i in range(1, width // 2 + 1):
            a = p / 10000 ** (2 * i / width)
            row += [math.sin(a), math.cos(a)]
        rows.append(row)
    return torch.tensor(rows)
