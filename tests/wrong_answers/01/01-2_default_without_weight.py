def default_lookup(query, keys, values, default):
    matches = [1.0 if key == query else 0.0 for key in keys]
    total = sum(matches)
    if total == 0:
        return default, matches
    weights = [match / total for match in matches]
    return sum(weight * value for weight, value in zip(weights, values)), weights
