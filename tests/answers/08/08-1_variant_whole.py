def additive_scores(query, key, W, U, v):
    """Returns scores [T, S] for queries [T, Q] and keys [S, K]."""
    sums = (query @ W.T)[:, None] + key @ U.T    # [T, S, A]
    return sums.tanh() @ v
