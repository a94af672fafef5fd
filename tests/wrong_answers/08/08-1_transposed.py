def additive_scores(query, key, W, U, v):
    """Returns scores [T, S] for queries [T, Q] and keys [S, K]."""
    sums = (key @ U.T)[:, None] + query @ W.T
    return sums.tanh() @ v
