import math


def input_slopes(inputs, u):
    """Returns the slope of the last state with respect to each input."""
    def last(inputs):
        state = 0.0
        for x in inputs:
            state = math.tanh(x + u * state)
        return state

    here = last(inputs)
    return [(last([x + 0.001 * (n == t) for n, x in enumerate(inputs)]) - here) / 0.001
            for t in range(len(inputs))]
