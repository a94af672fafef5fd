def list_lookup(query, keys, values):
    table = dict(zip(keys, values))
    weights = [1.0 if key == query else 0.0 for key in keys]
    return table[query], weights
