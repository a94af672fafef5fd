import math

import torch


def input_slopes(inputs, u):
    states = [0.0]
    for x in inputs:
        states.append(math.tanh(x + u * states[-1]))
    tanh_slope = 1 - torch.tensor(states[:-1], dtype=torch.float64) ** 2
    slopes = []
    for i in range(len(inputs)):
        later = (u * tanh_slope[i + 1:]).prod()
        slopes.append((tanh_slope[i] * later).item())
    return slopes
