from collections import Counter


def merge_step(words):
    """words {pieces: count}; returns the pair that is merged, and the new words."""
    counts = Counter()
    for pieces, count in words.items():
        for neighbours in zip(pieces, pieces[1:]):
            counts[neighbours] += count
    best = min(counts, key=lambda one: (-counts[one], one))
    return best, {
        tuple("".join(best) if pieces[n:n + 2] == best else pieces[n]
              for n in range(len(pieces))): count
        for pieces, count in words.items()}
