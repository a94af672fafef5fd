import math

import torch


def many_hands(positions, width):
    hands = width // 2
    rows = []
    for p in positions:
        row = []
        for i in range(hands):
            speed = math.exp(-math.log(10000) * i / max(hands - 1, 1))
            row += [math.sin(p * speed), math.cos(p * speed)]
        rows.append(row)
    return torch.tensor(rows)
