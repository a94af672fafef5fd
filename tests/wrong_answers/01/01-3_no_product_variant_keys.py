def matrix_lookup(query, key, value):
    matches = query * key
    weights = matches / matches.sum(dim=1, keepdim=True).clamp(min=1)
    return weights @ value, weights
