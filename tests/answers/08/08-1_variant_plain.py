import math
import torch


def additive_scores(query, key, W, U, v):
    """Returns scores [T, S] for queries [T, Q] and keys [S, K]."""
    rows = []
    for q in query.tolist():
        asked = [sum(w * x for w, x in zip(row, q)) for row in W.tolist()]
        row_of_scores = []
        for k in key.tolist():
            offered = [sum(u * x for u, x in zip(row, k)) for row in U.tolist()]
            row_of_scores.append(
                sum(judge * math.tanh(a + b)
                    for judge, a, b in zip(v.tolist(), asked, offered)))
        rows.append(row_of_scores)
    return torch.tensor(rows)
