from collections import Counter


def merge_step(words):
    """words {pieces: count}; returns the pair that is merged, and the new words."""
    counts = Counter()
    for pieces, count in words.items():
        for neighbours in zip(pieces, pieces[1:]):
            counts[neighbours] += count
    best = min(counts, key=lambda one: (-counts[one], one))
    new = {}
    for pieces, count in words.items():
        place = max((n for n in range(len(pieces)) if pieces[n:n + 2] == best),
                    default=None)
        if place is not None:
            pieces = (*pieces[:place], "".join(best), *pieces[place + 2:])
        new[pieces] = count
    return best, new
