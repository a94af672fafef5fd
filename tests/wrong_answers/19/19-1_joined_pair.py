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
        row, place = [], 0
        while place < len(pieces):
            if pieces[place:place + 2] == best:
                row.append(best[0] + best[1])
                place += 2
            else:
                row.append(pieces[place])
                place += 1
        new[tuple(row)] = count
    return "".join(best), new
