import torch


def gradient_step(memory, key, value, rate):
    """memory [K, D], key [P, K], value [P, D], a number; returns loss, new memory."""
    loss, new = 0.0, memory.clone()
    for k, v in zip(key, value):
        news = v - k @ memory
        loss += float(news @ news) / 2
        new += rate * torch.outer(k, news)
    return loss, new
