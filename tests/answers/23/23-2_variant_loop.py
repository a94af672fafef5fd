import torch


def delta_write(memory, key, value, strength):
    """memory [K, D], key [K], value [D], a number; returns the new memory [K, D]."""
    rows = []
    for i in range(len(key)):
        rows.append(memory[i] + strength * key[i] * (value - key @ memory))
    return torch.stack(rows)
