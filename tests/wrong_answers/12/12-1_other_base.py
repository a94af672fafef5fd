import math

import torch


def many_hands(positions, width):
    """Returns codes [T, D]: sine and cosine of hand 0, then of hand 1, ..."""
    rows = []
    for p in positions:
        row = []
        for i in range(width // 2):
            angle = p / 1000 ** (2 * i / width)
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row)
    return torch.tensor(rows)
