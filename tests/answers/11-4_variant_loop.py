import torch

from softdict.layers import sinusoids


def with_positions(words):
    """words [B, T, D]; returns words with their codes [B, T, D]."""
    B, T, D = words.shape
    coded = words.clone()
    for t in range(T):
        coded[:, t] += sinusoids(torch.tensor([t]), D)[0]
    return coded
