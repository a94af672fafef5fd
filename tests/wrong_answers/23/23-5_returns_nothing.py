def gradient_step(memory, key, value, rate):
    """memory [K, D], key [P, K], value [P, D], a number; returns loss, new memory."""
    error = key @ memory - value
    memory = memory - rate * key.T @ error
