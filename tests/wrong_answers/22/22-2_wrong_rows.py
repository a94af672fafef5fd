import torch


def to_halves(weight, heads):
    """Rows made for pairs of neighbours, in the order for pairs by halves."""
    new = [torch.cat([rows[0::2], rows[1::2].flip(0)]) for rows in weight.chunk(heads)]
    return torch.cat(new)
