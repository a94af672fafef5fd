import itertools


def by_luck(first, second):
    """Returns the share of choices that put the two means at least as far apart."""
    scores, count, ways = [*first, *second], 0, 0
    seen = abs(sum(first) / len(first) - sum(second) / len(second))
    for chosen in itertools.combinations(range(len(scores)), len(first)):
        one = sum(scores[place] for place in chosen)
        apart = abs(one / len(first) - (sum(scores) - one) / len(second))
        count += apart > seen - 1e-9
        ways += 1
    return count / ways
