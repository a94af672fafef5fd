import torch


def global_gradient(gradients, words):
    parts = [count * gradient for count, gradient in zip(words, gradients) if count]
    return torch.stack(parts).sum(dim=0, keepdim=True) / sum(words)
