def list_lookup(query, keys, values):
    """Returns the answer and the list of weights."""
    matches = [1.0 if key is query else 0.0 for key in keys]
    total = sum(matches)
    if total == 0:
        raise KeyError(query)
    weights = [match / total for match in matches]
    answer = sum(weight * value for weight, value in zip(weights, values))
    return answer, weights
