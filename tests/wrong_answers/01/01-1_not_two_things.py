def list_lookup(query, keys, values):
    matches = [1.0 if key == query else 0.0 for key in keys]
    if sum(matches) == 0:
        raise KeyError(query)
    return sum(match * value for match, value in zip(matches, values)) / sum(matches)
