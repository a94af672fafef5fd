import math


def input_slopes(inputs, u):
    """Returns the slope of the last state with respect to each input."""
    states, state = [], 0.0
    for x in inputs:
        state = math.tanh(x + u * state)
        states.append(state)
    slopes = []
    for t, state in enumerate(states):
        slopes.append((1 - state ** 2) * u ** (len(states) - 1 - t))
    return slopes
