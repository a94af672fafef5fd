def list_lookup(query, keys, values):
    matches = [1.0 if key == query else 0.0 for key in keys]
    answer = sum(match * value for match, value in zip(matches, values))
    if not answer:
        raise KeyError(query)
    return answer / sum(matches), [match / sum(matches) for match in matches]
