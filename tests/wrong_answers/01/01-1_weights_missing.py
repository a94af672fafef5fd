def list_lookup(query, keys, values):
    own = [value for key, value in zip(keys, values) if key == query]
    if not own:
        raise KeyError(query)
    return sum(own) / len(own), [1 / len(own)] * len(own)
