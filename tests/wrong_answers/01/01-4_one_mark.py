def mean_mark(name, names, marks):
    return marks[names.index(name)]
