import torch


def delta_write(memory, key, value, strength):
    """memory [K, D], key [K], value [D], a number; returns the new memory [K, D]."""
    known = key @ memory    # [D]
    return memory + strength * torch.outer(key, known - value)
