import torch

from softdict.layers import sinusoids


def with_positions(words):
    """words [B, T, D]; returns words with their codes [B, T, D]."""
    B, T, D = words.shape
    words += sinusoids(torch.arange(T), D)
    return words
