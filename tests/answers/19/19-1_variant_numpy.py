from collections import defaultdict

import numpy


def merge_step(words):
    """words {pieces: count}; returns the pair that is merged, and the new words."""
    pairs = [(pair, count) for pieces, count in words.items()
             for pair in zip(pieces, pieces[1:])]
    table, places = numpy.unique([pair for pair, _ in pairs], axis=0,
                                 return_inverse=True)
    seen = numpy.bincount(places.ravel(), weights=[count for _, count in pairs])
    best = tuple(table[seen.argmax()])    # unique sorts, argmax takes the first
    new = defaultdict(float)
    for pieces in reversed(words):
        row = list(pieces)
        for n in range(len(row) - 1):
            if n < len(row) - 1 and (row[n], row[n + 1]) == best:
                row[n:n + 2] = [row[n] + row[n + 1]]
        new[tuple(row)] += words[pieces]
    return list(best), new
