import math


def divisor(K, a, b):
    """Returns what brings the standard deviation of the dot products to 1."""
    variance = K * a ** 2 * b ** 2
    return math.sqrt(variance)
