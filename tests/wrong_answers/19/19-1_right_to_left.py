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
        row = list(pieces)
        for place in range(len(row) - 2, -1, -1):
            if tuple(row[place:place + 2]) == best:
                row[place:place + 2] = ["".join(best)]
        new[tuple(row)] = count
    return best, new
