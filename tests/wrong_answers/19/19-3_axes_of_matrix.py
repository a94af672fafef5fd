import torch


def global_gradient(gradients, words):
    """Returns the gradient of the mean loss over the words of all processes."""
    counts = torch.tensor(words, dtype=gradients[0].dtype)
    stacked = torch.stack(gradients)
    stacked = torch.where(counts[:, None, None] > 0, stacked, torch.zeros(()))
    return (stacked * counts[:, None, None]).sum(dim=0) / counts.sum()
