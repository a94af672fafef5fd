from itertools import combinations


def by_luck(first, second):
    """Returns the share of choices that put the two means at least as far apart."""
    scores = first + second
    seen = abs(sum(first) / len(first) - sum(second) / len(second))
    hits = ways = 0
    for one in set(combinations(sorted(scores), len(first))):
        rest = (sum(scores) - sum(one)) / len(second)
        hits += abs(sum(one) / len(one) - rest) >= seen - 1e-9
        ways += 1
    return hits / ways
