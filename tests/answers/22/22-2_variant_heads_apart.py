import torch


def to_halves(weight, heads):
    """Sort each head's rows: pairs of neighbours become pairs across its halves."""
    new = []
    for rows in weight.chunk(heads):
        new += [rows[0::2], rows[1::2]]
    return torch.cat(new)
