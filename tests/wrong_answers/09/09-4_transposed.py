import torch


def after_shuffle(new, weights, order):
    words = torch.index_select(new, 0, order)
    table = weights[order].T[order]
    return words, table
