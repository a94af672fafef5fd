from math import prod


def comes_back(x, layers, added):
    """Returns the slope of the whole stack at x."""
    slopes = []
    word = x
    for f, f_slope in layers:
        slopes.append(f_slope(word))
        word = f(word)
    through = prod(slopes)
    if added and layers:
        return 1 + through
    return through
