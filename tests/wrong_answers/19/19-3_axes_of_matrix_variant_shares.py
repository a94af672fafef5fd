import torch


def global_gradient(gradients, words):
    """Returns the gradient of the mean loss over the words of all processes."""
    weights = torch.tensor(words)[:, None, None] / sum(words)
    return (torch.stack(gradients) * weights).nansum(dim=0)
