def mean_mark(name, names, marks):
    if name not in names:
        raise KeyError(name)
    start = names.index(name)
    own = marks[start:start + names.count(name)]
    return sum(own) / len(own)
