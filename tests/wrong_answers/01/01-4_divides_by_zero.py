def mean_mark(name, names, marks):
    weights = [1.0 if other == name else 0.0 for other in names]
    return sum(weight * mark for weight, mark in zip(weights, marks)) / sum(weights)
