def list_lookup(query, keys, values):
    matches = [1.0 if key == query else 0.0 for key in keys]
    total = sum(matches) or 1.0
    weights = [match / total for match in matches]
    return sum(weight * value for weight, value in zip(weights, values)), weights
