import itertools

import torch


def by_luck(first, second):
    """Returns the share of choices that put the two means at least as far apart."""
    scores, size = torch.tensor(first + second, dtype=torch.float64), len(first)
    seen = abs(scores[:size].mean() - scores[size:].mean())
    hits = []
    for places in itertools.combinations(range(len(scores)), size):
        chosen = torch.zeros(len(scores), dtype=torch.bool)
        chosen[list(places)] = True
        hits.append(abs(scores[chosen].mean() - scores[~chosen].mean()) >= seen - 1e-9)
    return torch.tensor(hits).float().mean()
