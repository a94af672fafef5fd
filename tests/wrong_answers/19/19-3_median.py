import torch


def global_gradient(gradients, words):
    """Returns the gradient of the mean loss over the words of all processes."""
    return torch.stack(gradients).nanmedian(dim=0).values
