def divisor(K, a, b):
    """Returns what brings the standard deviation of the dot products to 1."""
    return K ** 0.5 / (a * b)
