import torch


def gradient_step(memory, key, value, rate):
    """memory [K, D], key [P, K], value [P, D], a number; returns loss, new memory."""
    key = torch.nn.functional.normalize(key, dim=-1)
    error = key @ memory - value
    return 0.5 * error.square().sum(), memory - rate * key.T @ error
