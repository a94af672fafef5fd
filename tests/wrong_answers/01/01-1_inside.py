def list_lookup(query, keys, values):
    weights = [1.0 if query in key else 0.0 for key in keys]
    total = sum(weights)
    if not total:
        raise KeyError(query)
    weights = [w / total for w in weights]
    return sum(w * v for w, v in zip(weights, values)), weights
