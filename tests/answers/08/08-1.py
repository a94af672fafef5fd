import torch


def additive_scores(query, key, W, U, v):
    """Returns scores [T, S] for queries [T, Q] and keys [S, K]."""
    scores = torch.zeros(len(query), len(key))    # [T, S]
    for t in range(len(query)):
        for s in range(len(key)):
            both = W @ query[t] + U @ key[s]    # [A]
            scores[t, s] = v @ both.tanh()
    return scores
