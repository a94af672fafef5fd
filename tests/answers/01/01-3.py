def matrix_lookup(query, key, value):
    """Returns the answers [T, D] and the weights [T, S]."""
    matches = query @ key.T                                            # [T, S]
    weights = matches / matches.sum(dim=1, keepdim=True).clamp(min=1)    # [T, S]
    return weights @ value, weights
