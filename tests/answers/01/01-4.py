def mean_mark(name, names, marks):
    """Returns the mean of the marks that belong to the name."""
    weights = [1.0 if other == name else 0.0 for other in names]
    total = sum(weights)
    if total == 0:
        raise KeyError(name)
    return sum(weight / total * mark for weight, mark in zip(weights, marks))
