def comes_back(x, layers, added):
    """Returns the slope of the whole stack at x."""
    bypass = 1 if added else 0
    total = 1
    for f, slope_of_f in layers[::-1]:
        total = total * (bypass + slope_of_f(x))
        x = bypass * x + f(x)
    return total
