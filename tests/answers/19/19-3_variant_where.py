import torch


def global_gradient(gradients, words):
    """Returns the gradient of the mean loss over the words of all processes."""
    counts = torch.tensor(words, dtype=torch.float64)
    counts = counts.view(-1, *[1] * gradients[0].dim())
    sums = torch.where(counts > 0, counts * torch.stack(gradients), 0.0)
    return sums.sum(dim=0) / counts.sum()
