def list_lookup(query, keys, values):
    weights = [1.0 if key == query else 0.0 for key in keys]
    if sum(weights) == 0:
        raise KeyError(query)
    weights = [weight / len(keys) for weight in weights]
    return sum(w * v for w, v in zip(weights, values)), weights
