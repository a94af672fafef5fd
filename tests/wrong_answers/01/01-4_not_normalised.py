def mean_mark(name, names, marks):
    weights = [1.0 if other == name else 0.0 for other in names]
    if sum(weights) == 0:
        raise KeyError(name)
    return sum(weight * mark for weight, mark in zip(weights, marks))
