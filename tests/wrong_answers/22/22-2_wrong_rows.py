import torch


def to_halves(weight, heads):
    """Sort each head's rows: pairs of neighbours become pairs across its halves."""
    new = [torch.cat([rows[0::2], rows[1::2].flip(0)]) for rows in weight.chunk(heads)]
    return torch.cat(new)
