import torch


def right_gradient(model, parts, mean_loss, words):
    """Leaves the gradient of the mean over all words of all parts, and returns that
    mean."""
    weights = list(model.parameters())
    everything, total = sum(words(part) for part in parts), 0.0
    gradients = [torch.zeros_like(weight) for weight in weights]
    for part in parts:
        share = mean_loss(model, part) * words(part) / everything
        slopes = torch.autograd.grad(share, weights)
        gradients = [gradient + slope for gradient, slope in zip(gradients, slopes)]
        total += share.item()
    for weight, gradient in zip(weights, gradients):
        weight.grad = gradient
    return total
