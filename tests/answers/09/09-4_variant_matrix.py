import torch


def after_shuffle(new, weights, order):
    """Returns new words [T, D] and weights [T, T] of the shuffled sentence."""
    P = torch.eye(len(order), dtype=new.dtype)[order]
    return P @ new, P @ weights @ P.T
