import torch


def gradient_step(memory, key, value, rate):
    """memory [K, D], key [P, K], value [P, D], a number; returns loss, new memory."""
    loss = 0.5 * (key @ memory - value).square().sum()
    for k, v in zip(key, value):
        memory = memory + rate * torch.outer(k, v - k @ memory)
    return loss, memory
