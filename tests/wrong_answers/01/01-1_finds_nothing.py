def list_lookup(query, keys, values):
    matches = [1.0 if key is query else 0.0 for key in keys]
    if sum(matches) == 0:
        raise KeyError(query)
    weights = [match / sum(matches) for match in matches]
    return sum(weight * value for weight, value in zip(weights, values)), weights
