import math


def input_slopes(inputs, u):
    """Returns the slope of the last state with respect to each input."""
    states, state = [], 0.0
    for x in inputs:
        state = math.tanh(x + u * state)
        states.append(state)
    slopes, slope = [], 1.0
    for state in states:
        slope *= 1 - state ** 2
        slopes.append(slope)
        slope *= u
    return slopes
