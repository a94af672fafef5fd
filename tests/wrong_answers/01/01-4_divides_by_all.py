def mean_mark(name, names, marks):
    if name not in names:
        raise KeyError(name)
    weights = [1.0 if other == name else 0.0 for other in names]
    return sum(weight * mark for weight, mark in zip(weights, marks)) / len(marks)
