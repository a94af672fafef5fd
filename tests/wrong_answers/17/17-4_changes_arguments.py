def likeliest(shares, p):
    """Returns the new shares, a list."""
    shares.sort(reverse=True)
    kept, total = [], 0.0
    for share in shares:
        kept.append(share)
        total += share
        if total >= p:
            break
    return [share / total for share in kept] + [0.0] * (len(shares) - len(kept))
