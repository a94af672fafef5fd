def matrix_lookup(query, key, value):
    weights = query @ key.T
    return weights @ value, weights
