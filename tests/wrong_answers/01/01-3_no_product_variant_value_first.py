def matrix_lookup(query, key, value):
    matches = query @ key.T
    weights = matches / matches.sum(dim=1, keepdim=True).clamp(min=1)
    return value * weights, weights
