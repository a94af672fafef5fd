def list_lookup(query, keys, values):
    matches = []
    for key in keys:
        if key == query:
            matches.append(1.0)
        else:
            raise KeyError(query)
    total = sum(matches)
    weights = [m / total for m in matches]
    return sum(w * v for w, v in zip(weights, values)), weights
