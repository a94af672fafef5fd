def likeliest(shares, p):
    """Returns the new shares, a list."""
    total = 0.0
    for smallest in sorted(shares, reverse=True):
        total += smallest
        if total >= p:
            break
    kept = [share if share >= smallest else 0.0 for share in shares]
    return [share / sum(kept) for share in kept]
