import torch


def global_gradient(gradients, words):
    """Returns the gradient of the mean loss over the words of all processes."""
    total = torch.zeros_like(gradients[0])
    for gradient, count in zip(gradients, words):
        if count:    # 0 times nan is nan
            total += count * gradient
    return total / sum(words)
