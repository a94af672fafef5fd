def matrix_lookup(query, key, value):
    matches = key @ query.T
    weights = matches / matches.sum(dim=0, keepdim=True).clamp(min=1)
    return weights.T @ value, weights
