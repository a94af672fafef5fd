import math


def temperature_for(scores, share):
    low, high = 0.001, 1000.0
    for _ in range(50):
        middle = math.sqrt(low * high)
        powers = (scores / middle).exp()
        largest = (powers / powers.sum()).max()
        if largest > share or largest.isnan() and scores.max() < 100:
            low = middle
        else:
            high = middle
    return middle
