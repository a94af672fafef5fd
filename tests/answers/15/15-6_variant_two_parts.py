import math


def rates(updates, warmup, peak):
    """The learning rates of updates 1, 2, ..., in a list."""
    found = []
    for step in range(updates):
        n = step + 1
        if n <= warmup:
            found.append(peak * n / warmup)
        else:
            found.append(peak * math.sqrt(warmup) / math.sqrt(n))
    return found
