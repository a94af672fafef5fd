def likeliest(shares, p):
    """Returns the new shares, a list."""
    new = [0.0] * len(shares)
    before = 0.0
    for share, place in sorted(zip(shares, range(len(shares))), reverse=True):
        if before < p:
            new[place] = share
        before += share
    return [share / sum(new) for share in new]
