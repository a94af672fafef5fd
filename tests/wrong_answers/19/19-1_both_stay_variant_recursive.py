def merge_step(words):
    """words {pieces: count}; returns the pair that is merged, and the new words."""
    counts = {}
    for pieces, count in words.items():
        for pair in zip(pieces[:-1], pieces[1:]):
            counts[pair] = counts.get(pair, 0) + count
    best = max(sorted(counts), key=counts.get)

    def joined(pieces):
        if pieces[:2] == best:
            return ("".join(best), *joined(pieces[1:]))
        return pieces[:1] + joined(pieces[1:]) if pieces else ()

    return [best, {joined(pieces): count for pieces, count in words.items()}]
