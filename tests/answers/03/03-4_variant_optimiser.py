import torch
import torch.nn.functional as F


def fit(logits, word, after, rate, steps):
    table = torch.nn.Parameter(logits.clone())
    optimizer = torch.optim.SGD([table], lr=rate)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(table[word], after)
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses
