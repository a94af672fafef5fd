import random


def by_luck(first, second):
    """Returns the share of choices that put the two means at least as far apart."""
    scores, size, hits = [*first, *second], len(first), 0
    seen = abs(sum(first) / size - sum(second) / len(second))
    rng = random.Random(0)
    for _ in range(1000):
        rng.shuffle(scores)
        apart = sum(scores[:size]) / size - sum(scores[size:]) / len(second)
        hits += abs(apart) >= seen - 1e-9
    return hits / 1000
