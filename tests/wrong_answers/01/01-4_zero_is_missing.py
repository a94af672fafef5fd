def mean_mark(name, names, marks):
    weights = [1.0 if other == name else 0.0 for other in names]
    total = sum(weight * mark for weight, mark in zip(weights, marks))
    if total == 0:
        raise KeyError(name)
    return total / sum(weights)
