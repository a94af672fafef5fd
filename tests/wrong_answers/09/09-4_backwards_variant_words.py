import torch


def after_shuffle(new, weights, order):
    """Returns new words [T, D] and weights [T, T] of the shuffled sentence."""
    words = torch.zeros_like(new)
    words[order] = new
    return words, weights[order][:, order]
