import itertools


def by_luck(first, second):
    """Returns the share of choices that put the two means at least as far apart."""
    scores, size = first + second, len(first)

    def apart(places):
        ones = [scores[n] for n in places]
        others = [scores[n] for n in range(len(scores)) if n not in places]
        return abs(sum(ones) / len(ones) - sum(others) / len(others))

    ways = list(itertools.combinations(range(len(scores)), size))
    seen = apart(ways[0])    # the first way is the one that was seen
    return sum(apart(way) >= seen - 1e-9 for way in ways) / len(ways)
