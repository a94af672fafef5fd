def comes_back(x, layers, added):
    """Returns the slope of the whole stack at x."""
    total = 1.0
    for f, slope in layers:
        total *= slope(x) + added
        x = f(x) + added * x
    return x
