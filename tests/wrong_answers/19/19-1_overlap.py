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
        row, used = [], False
        for place, piece in enumerate(pieces):
            if pieces[place:place + 2] == best:
                row.append("".join(best))
                used = True
            elif used:
                used = False
            else:
                row.append(piece)
        new[tuple(row)] = count
    return best, new
