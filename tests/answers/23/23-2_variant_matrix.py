import torch


def delta_write(memory, key, value, strength):
    """memory [K, D], key [K], value [D], a number; returns the new memory [K, D]."""
    eye = torch.eye(len(key), dtype=key.dtype)
    erased = (eye - strength * torch.outer(key, key)) @ memory
    return erased + strength * torch.outer(key, value)
