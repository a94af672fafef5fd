import torch


def to_halves(weight, heads):
    """Rows made for pairs of neighbours, in the order for pairs by halves."""
    rows = weight.unflatten(0, (-1, heads))
    return torch.cat([rows[0::2], rows[1::2]]).flatten(0, 1)
