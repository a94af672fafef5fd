def default_lookup(query, keys, values, default):
    matches = [1.0 if key == query else 0.0 for key in keys]
    weights = [match / sum(matches) for match in matches] + [0.0]
    return (sum(weight * value for weight, value in zip(weights, [*values, default])),
            weights)
