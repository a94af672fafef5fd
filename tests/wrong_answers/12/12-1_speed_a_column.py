import math

import torch


def many_hands(positions, width):
    """Returns codes [T, D]: sine and cosine of hand 0, then of hand 1, ..."""
    rows = []
    for p in positions:
        row = []
        for i in range(width):
            angle = p / 10000 ** (i / width)
            row.append(math.cos(angle) if i % 2 else math.sin(angle))
        rows.append(row)
    return torch.tensor(rows)
