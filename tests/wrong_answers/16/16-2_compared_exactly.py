from itertools import combinations


def by_luck(first, second):
    """Returns the share of choices that put the two means at least as far apart."""
    scores = first + second
    def apart(ones):
        one = [scores[i] for i in ones]
        two = [scores[i] for i in range(len(scores)) if i not in ones]
        return abs(sum(one) / len(one) - sum(two) / len(two))
    seen = abs(sum(first) / len(first) - sum(second) / len(second))
    ways = list(combinations(range(len(scores)), len(first)))
    return sum(apart(ones) >= seen for ones in ways) / len(ways)
