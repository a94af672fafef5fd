def delta_write(memory, key, value, strength):
    """memory [K, D], key [K], value [D], a number; returns the new memory [K, D]."""
    known = key[None] @ memory
    return memory - strength * key[:, None] @ (known - value[None])
