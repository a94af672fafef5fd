import torch


def global_gradient(gradients, words):
    """Returns the gradient of the mean loss over the words of all processes."""
    kept = [n for n in range(len(words)) if words[n]]
    weights = torch.tensor([words[n] for n in kept]).float()
    stack = torch.stack([gradients[n] for n in kept])
    return torch.einsum("p,p...->...", weights / weights.sum(), stack)
