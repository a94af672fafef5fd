def comes_back(x, layers, added):
    """Returns the slope of the whole stack at x."""
    if not layers:
        return 1.0
    (f, slope), *above = layers
    return (slope(x) + added) * comes_back(x + f(x) if added else f(x), above, added)
