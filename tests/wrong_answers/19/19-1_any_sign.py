import re
from collections import Counter


def merge_step(words):
    """words {pieces: count}; returns the pair that is merged, and the new words."""
    counts = Counter()
    for pieces, count in words.items():
        for neighbours in zip(pieces, pieces[1:]):
            counts[neighbours] += count
    best = min(counts, key=lambda one: (-counts[one], one))
    alone = re.compile(r"(?<!\S)" + " ".join(best) + r"(?!\S)")
    return best, {
        tuple(alone.sub("".join(best), " ".join(pieces)).split()): count
        for pieces, count in words.items()}
