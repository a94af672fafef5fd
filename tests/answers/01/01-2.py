def default_lookup(query, keys, values, default):
    """Returns the answer and S + 1 weights; the last is the default's."""
    matches = [1.0 if key == query else 0.0 for key in keys]
    matches.append(1.0 if sum(matches) == 0 else 0.0)
    total = sum(matches)
    weights = [match / total for match in matches]
    values = [*values, default]
    answer = sum(weight * value for weight, value in zip(weights, values))
    return answer, weights
