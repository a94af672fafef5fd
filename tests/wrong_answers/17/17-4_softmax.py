def likeliest(shares, p):
    """Returns the new shares, a list."""
    import math
    order = sorted(range(len(shares)), key=lambda i: -shares[i])
    kept, total = [], 0.0
    for i in order:
        kept.append(i)
        total += shares[i]
        if total >= p:
            break
    norm = sum(math.exp(shares[i]) for i in kept)
    return [math.exp(s) / norm if i in kept else 0.0 for i, s in enumerate(shares)]
