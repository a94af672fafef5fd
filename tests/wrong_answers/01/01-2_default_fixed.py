def default_lookup(query, keys, values, default):
    matches = [1.0 if key == query else 0.0 for key in keys]
    matches.append(1.0 if sum(matches) == 0 else 0.0)
    weights = [match / sum(matches) for match in matches]
    return sum(weight * value for weight, value in zip(weights, [*values, 5])), weights
