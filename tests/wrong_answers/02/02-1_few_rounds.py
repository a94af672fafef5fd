import math

import torch


def temperature_for(scores, share):
    low, high = 0.001, 1000.0
    for _ in range(9):
        middle = math.sqrt(low * high)
        if torch.softmax(scores / middle, dim=0).max() > share:
            low = middle
        else:
            high = middle
    return math.sqrt(low * high)
