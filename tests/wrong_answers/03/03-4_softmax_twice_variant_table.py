import torch
import torch.nn.functional as F


def fit(logits, word, after, rate, steps):
    """Returns the losses, one before each step of gradient descent."""
    table = logits.clone().requires_grad_()
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(table[word].softmax(dim=-1), after)
        losses.append(loss.item())
        table.grad = None    # empty the old gradient
        loss.backward()
        with torch.no_grad():
            table -= rate * table.grad
    return losses
