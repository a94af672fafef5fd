import re
from collections import Counter


def merge_step(words):
    """words {pieces: count}; returns the pair that is merged, and the new words."""
    counts = Counter()
    for pieces, count in words.items():
        for n in range(len(pieces) - 1):
            counts[pieces[n:n + 2]] += count
    most = max(counts.values())
    best = sorted(pair for pair in counts if counts[pair] == most)[0]
    alone = re.compile(r"(?<!\S)" + re.escape(" ".join(best)) + r"(?!\S)")
    return best, Counter({
        tuple(alone.sub(lambda _: "".join(best), " ".join(pieces)).split()): count
        for pieces, count in words.items()})
