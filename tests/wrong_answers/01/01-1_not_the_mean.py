def list_lookup(query, keys, values):
    own = sorted(value for key, value in zip(keys, values) if key == query)
    if not own:
        raise KeyError(query)
    weights = [float(key == query) / len(own) for key in keys]
    return (own[0] + own[-1]) / 2, weights
