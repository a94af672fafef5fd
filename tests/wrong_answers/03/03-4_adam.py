import torch
import torch.nn.functional as F


def fit(logits, word, after, rate, steps):
    table = logits.clone().requires_grad_()
    optimizer = torch.optim.Adam([table], lr=rate)
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(table[word], after)
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return losses
