def default_lookup(query, keys, values, default):
    weights = [1.0 if key == query else 0.0 for key in keys]
    if sum(weights) == 0:
        return default, weights + [1.0]
    answer = sum(weight * value
                 for weight, value in zip(weights, values)) / sum(weights)
    return answer, weights + [0.0]
