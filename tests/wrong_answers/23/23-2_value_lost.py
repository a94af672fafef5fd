import torch


def delta_write(memory, key, value, strength):
    written = memory + torch.outer(key, value)
    knew = key @ written
    return memory + strength * torch.outer(key, value - knew)
