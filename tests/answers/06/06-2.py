import math


def input_slopes(inputs, u):
    """Returns the slope of the last state with respect to each input."""
    states, state = [], 0.0
    for x in inputs:
        state = math.tanh(x + u * state)
        states.append(state)
    slopes, slope = [], 1.0
    for state in reversed(states):
        slope *= 1 - state ** 2    # go through tanh
        slopes.append(slope)       # and go out to this input,
        slope *= u                 # or go to the state before
    return slopes[::-1]
