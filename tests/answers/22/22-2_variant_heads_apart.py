import torch


def to_halves(weight, heads):
    """Rows made for pairs of neighbours, in the order for pairs by halves."""
    new = []
    for rows in weight.chunk(heads):
        new += [rows[0::2], rows[1::2]]
    return torch.cat(new)
