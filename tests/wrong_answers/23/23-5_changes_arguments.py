import torch


def gradient_step(memory, key, value, rate):
    """memory [K, D], key [P, K], value [P, D], a number; returns loss, new memory."""
    memory.requires_grad_()
    loss = 0.5 * (key @ memory - value).square().sum()
    loss.backward()
    with torch.no_grad():
        memory -= rate * memory.grad
    return loss.item(), memory.detach()
