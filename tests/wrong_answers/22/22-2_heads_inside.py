import torch


def to_halves(weight, heads):
    """Sort each head's rows: pairs of neighbours become pairs across its halves."""
    rows = weight.unflatten(0, (-1, heads))
    return torch.cat([rows[0::2], rows[1::2]]).flatten(0, 1)
