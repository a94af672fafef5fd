import torch
import torch.nn.functional as F


def fit(logits, word, after, rate, steps):
    """Returns the losses, one before each step of gradient descent."""
    table = logits.detach().requires_grad_()
    losses = []
    for _ in range(steps):
        table.grad = None
        loss = F.cross_entropy(table[word], after)
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            table -= rate * table.grad
    return losses
