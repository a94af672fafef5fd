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
        row, grows = [], False
        for piece in pieces:
            if grows and best[0] == best[1] == piece:
                row[-1] += piece
            elif row and (row[-1], piece) == best:
                row[-1] += piece
                grows = True
            else:
                row.append(piece)
                grows = False
        new[tuple(row)] = count
    return best, new
