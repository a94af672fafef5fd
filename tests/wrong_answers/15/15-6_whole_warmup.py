import math


def rates(updates, warmup, peak):
    row = []
    for n in range(1, warmup + 1):
        row.append(peak * n / warmup)
    for n in range(warmup + 1, updates + 1):
        row.append(peak * math.sqrt(warmup) / math.sqrt(n))
    return row
