import math

import torch


def temperature_for(scores, share):
    low, high = 0.001, 1000.0
    for _ in range(60):
        middle = math.sqrt(low * high)
        weights = torch.softmax(scores / middle, dim=0)
        if weights[-1] > share:
            low = middle
        else:
            high = middle
    return middle
