def default_lookup(query, keys, values, default):
    weights = [1.0 if key == query else 0.0 for key in keys]
    weights.append(1.0 if sum(weights) == 0 else 0.0)
    return (sum(weight * value for weight, value in zip(weights, [*values, default])),
            weights)
