def divisor(K, a, b):
    return K ** 0.5 * a / b
