import torch


def to_halves(weight, heads):
    """Sort each head's rows: pairs of neighbours become pairs across its halves."""
    for rows in weight.chunk(heads):
        rows[:] = torch.cat([rows[0::2], rows[1::2]])
    return weight
