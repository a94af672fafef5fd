import itertools


def by_luck(first, second):
    """Returns the share of choices that put the two means at least as far apart."""
    scores, hits = [*first, *second], []
    seen = abs(sum(first) / len(first) - sum(second) / len(second))
    for ones in itertools.product(scores, repeat=len(first)):
        for others in itertools.product(scores, repeat=len(second)):
            apart = sum(ones) / len(ones) - sum(others) / len(others)
            hits.append(abs(apart) >= seen - 1e-9)
    return sum(hits) / len(hits)
