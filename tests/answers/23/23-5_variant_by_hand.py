def gradient_step(memory, key, value, rate):
    """memory [K, D], key [P, K], value [P, D], a number; returns loss, new memory."""
    error = key @ memory - value    # [P, D]
    return 0.5 * (error ** 2).sum(), memory - rate * key.T @ error
