def default_lookup(query, keys, values, default):
    count = keys.count(query)
    if count == 0:
        return default, [0] * len(keys) + [1]
    weights = [(key == query) / count for key in keys] + [0]
    return sum(weight * value for weight, value in zip(weights, values)), weights
