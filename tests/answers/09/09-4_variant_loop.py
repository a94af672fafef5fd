import torch


def after_shuffle(new, weights, order):
    """Returns new words [T, D] and weights [T, T] of the shuffled sentence."""
    rows = torch.stack([new[t] for t in order])
    table = torch.stack([torch.stack([weights[t, s] for s in order]) for t in order])
    return rows, table
