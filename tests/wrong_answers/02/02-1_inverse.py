import math

import torch


def temperature_for(scores, share):
    low, high = 0.0001, 10000.0
    for _ in range(80):
        middle = math.sqrt(low * high)
        if torch.softmax(scores * middle, dim=0).max() > share:
            high = middle
        else:
            low = middle
    return middle
