def comes_back(x, layers, added):
    """Returns the slope of the whole stack at x."""
    total = 0.0
    for n, (f, slope) in enumerate(layers):
        own = slope(x) + added
        total = total * own if n else own
        x = f(x) + added * x
    return total
