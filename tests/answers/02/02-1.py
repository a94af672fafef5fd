import math

import torch


def temperature_for(scores, share):
    """Returns the temperature at which the largest softmax weight is `share`."""
    low, high = 0.001, 1000.0
    for _ in range(50):
        middle = math.sqrt(low * high)
        largest = torch.softmax(scores / middle, dim=0).max()
        if largest > share:
            low = middle    # too cold
        else:
            high = middle
    return math.sqrt(low * high)
