import torch


def additive_scores(query, key, W, U, v):
    """Returns scores [T, S] for queries [T, Q] and keys [S, K]."""
    scores = torch.zeros(len(query), len(key))
    for t in range(len(query)):
        for s in range(len(key)):
            scores[t, s] = v @ (W @ query[t] + U @ key[0]).tanh()
    return scores
