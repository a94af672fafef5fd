import torch


def to_halves(weight, heads):
    """Sort each head's rows: pairs of neighbours become pairs across its halves."""
    rows = weight.unflatten(0, (heads, -1))
    even, odd = rows[:, 0::2].flatten(0, 1), rows[:, 1::2].flatten(0, 1)
    return torch.cat([even, odd])
