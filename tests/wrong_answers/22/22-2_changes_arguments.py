import torch


def to_halves(weight, heads):
    """Rows made for pairs of neighbours, in the order for pairs by halves."""
    for rows in weight.chunk(heads):
        rows[:] = torch.cat([rows[0::2], rows[1::2]])
    return weight
