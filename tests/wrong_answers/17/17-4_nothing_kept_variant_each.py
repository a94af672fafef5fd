def likeliest(shares, p):
    """Returns the new shares, a list."""
    kept = [share if share >= p else 0 for share in shares]
    return [share / sum(kept) for share in kept]
