"""Chapter 03: the code of *In short* against softdict.lookup.

The training is done again from the same random numbers, with the package's dot product
and softmax, and with the gradient by hand: share minus truth.
"""

import torch
from softdict.lookup import dot, softmax
from torch import nn


def compare(names):
    torch.manual_seed(torch.initial_seed())    # the code drew its tables from here
    query, key = nn.Embedding(4, 8).weight, nn.Embedding(4, 8).weight    # [V, D]
    optimizer = torch.optim.Adam([query, key], lr=0.01)
    text = torch.tensor([0, 1, 2, 0, 1, 3, 0, 1])
    word, after = one_hot(text[:-1]), one_hot(text[1:])    # [M, V]
    for _ in range(100):
        with torch.no_grad():
            share = softmax(dot(word @ query, key))          # [M, V]
            loss = -(after * share.log()).sum(dim=1).mean()
            slope = (share - after) / len(word)              # [M, V]
            query.grad = word.T @ slope @ key
            key.grad = slope.T @ word @ query
        optimizer.step()
    torch.testing.assert_close(names["value"].detach(), loss)
    for mine, theirs in ((names["query"], query), (names["key"], key)):
        torch.testing.assert_close(mine.weight, theirs, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(mine.weight.grad, theirs.grad, rtol=1e-3, atol=1e-5)


def one_hot(ids):
    return nn.functional.one_hot(ids, 4).float()
