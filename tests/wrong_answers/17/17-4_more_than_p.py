def likeliest(shares, p):
    """Returns the new shares, a list."""
    kept, total = [], 0.0
    for n in sorted(range(len(shares)), key=lambda n: -shares[n]):
        kept.append(n)
        total += shares[n]
        if total > p:
            break
    return [shares[n] / total if n in kept else 0.0 for n in range(len(shares))]
