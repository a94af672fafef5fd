import torch


def delta_write(memory, key, value, strength):
    """memory [K, D], key [K], value [D], a number; returns the new memory [K, D]."""
    known = key @ memory
    key, memory = key.detach(), memory.detach()
    return memory + strength * torch.outer(key, value - known.detach())
