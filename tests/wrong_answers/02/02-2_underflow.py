import math

import torch


def vector_lookup(query, key, value, temperature):
    scores, largest = [], 0.0
    for row in key:
        lengths = (query.norm() * row.norm()).item()
        scores.append((query @ row).item() / max(lengths, 1e-12) / temperature)
        if scores[-1] > largest:
            largest = scores[-1]
    powers = [math.exp(score - largest) for score in scores]
    weights = torch.tensor([power / sum(powers) for power in powers])
    return weights @ value, weights
