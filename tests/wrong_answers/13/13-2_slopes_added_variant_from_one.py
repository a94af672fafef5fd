def comes_back(x, layers, added):
    total = 1.0
    for f, f_slope in layers:
        total += f_slope(x)
        x = x + f(x) if added else f(x)
    return total
