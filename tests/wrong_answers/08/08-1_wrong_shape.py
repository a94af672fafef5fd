def additive_scores(query, key, W, U, v):
    """Returns scores [T, S] for queries [T, Q] and keys [S, K]."""
    return (W @ query[0] + U @ key[0]).tanh() * v
