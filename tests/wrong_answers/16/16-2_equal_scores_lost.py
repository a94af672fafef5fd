import itertools


def by_luck(first, second):
    """Returns the share of choices that put the two means at least as far apart."""
    scores, hits = [*first, *second], []
    seen = abs(sum(first) / len(first) - sum(second) / len(second))
    for ones in itertools.combinations(scores, len(first)):
        others = [score for score in scores if score not in ones]
        apart = sum(ones) / len(ones) - sum(others) / max(1, len(others))
        hits.append(abs(apart) >= seen - 1e-9)
    return sum(hits) / len(hits)
