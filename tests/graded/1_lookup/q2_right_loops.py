"""One slope after the other, the sum over all keys written out."""

import math


def slopes(scores, values, temperature):
    scores, values = scores.tolist(), values.tolist()
    largest = max(scores)
    powers = [math.exp((score - largest) / temperature) for score in scores]
    weights = [power / sum(powers) for power in powers]
    found = []
    for j in range(len(scores)):
        total = 0.0
        for i in range(len(scores)):
            total += values[i] * weights[i] * ((i == j) - weights[j])
        found.append(total / temperature)
    return found
