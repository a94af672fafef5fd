import itertools
from collections import Counter


def merge_step(words):
    """words {pieces: count}; returns the pair that is merged, and the new words."""
    counts = sum((Counter({pair: count * times for pair, times in
                           Counter(itertools.pairwise(pieces)).items()})
                  for pieces, count in words.items()), Counter())
    (best, _), *_ = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    new = dict(words)
    for pieces in words:
        row, fresh = [], False
        for piece in pieces:
            if row and not fresh and (row[-1], piece) == best:
                row[-1] += piece
                fresh = True
            else:
                row.append(piece)
                fresh = False
        new[tuple(row)] = new.pop(pieces)
    return best, new
