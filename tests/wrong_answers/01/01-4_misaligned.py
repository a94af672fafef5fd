def mean_mark(name, names, marks):
    weights = [1.0 for other in names if other == name]
    if not weights:
        raise KeyError(name)
    return sum(weight / sum(weights) * mark for weight, mark in zip(weights, marks))
