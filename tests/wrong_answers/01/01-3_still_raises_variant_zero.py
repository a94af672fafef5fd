import torch


def matrix_lookup(query, key, value):
    """Returns the answers [T, D] and the weights [T, S]."""
    weights = []
    for row in query.tolist():
        matches = [float(row == one) for one in key.tolist()]
        weights.append([match / sum(matches) for match in matches])
    weights = torch.tensor(weights)
    return weights @ value, weights
