import math


def input_slopes(inputs, u):
    """Returns the slope of the last state with respect to each input."""
    slopes, slope = [], 1.0
    for x in reversed(inputs):
        slope *= 1 - math.tanh(x) ** 2
        slopes.append(slope)
        slope *= u
    return slopes[::-1]
