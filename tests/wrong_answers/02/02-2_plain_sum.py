import torch


def vector_lookup(query, key, value, temperature):
    """Returns the answer [D] and the weights [S]."""
    scores = []
    for row in key:
        lengths = query.norm() * row.norm()
        cosine = query @ row / lengths if lengths > 0 else 0.0
        scores.append(cosine / temperature)
    scores = torch.tensor(scores)
    powers = (scores - scores.max()).exp()
    weights = powers / powers.sum()
    return sum(value), weights
