def mean_mark(name, names, marks):
    if name not in names:
        raise KeyError(name)
    start = end = names.index(name)
    while end < len(names) and names[end] == name:
        end += 1
    return sum(marks[start:end]) / (end - start)
