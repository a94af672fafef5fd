def default_lookup(query, keys, values, default):
    matches = [1.0 if key == query else 0.0 for key in keys]
    answer = sum(match * value
                 for match, value in zip(matches, values)) / (sum(matches) or 1)
    if not answer:
        return default, [0.0] * len(keys) + [1.0]
    return answer, [match / sum(matches) for match in matches] + [0.0]
