def delta_write(memory, key, value, strength):
    """memory [K, D], key [K], value [D], a number; returns the new memory [K, D]."""
    new = memory.clone()
    row = key.argmax()
    known = key @ memory
    new[row] = new[row] + strength * (value - known)
    return new
