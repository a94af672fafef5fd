import math

import torch


def vector_lookup(query, key, value, temperature):
    def length(vector):
        return math.sqrt(sum(float(number) ** 2 for number in vector))

    scores = []
    for row in key:
        dot = sum(float(a) * float(b) for a, b in zip(query, row))
        size = length(query) * length(row)
        scores.append(dot / max(size, 1e-12) / temperature)
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    weights = [power / sum(powers) for power in powers]
    answer = [sum(weight * float(row[column]) for weight, row in zip(weights, value))
              for column in range(value.shape[1])]
    return torch.tensor(answer), torch.tensor(weights)
