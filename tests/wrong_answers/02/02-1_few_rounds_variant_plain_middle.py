import torch


def temperature_for(scores, share):
    """Returns the temperature at which the largest softmax weight is `share`."""
    low, high = 0.001, 1000.0
    for _ in range(10):
        mid = (low + high) / 2
        if torch.softmax(scores / mid, dim=0).max() > share:
            low = mid
        else:
            high = mid
    return mid
