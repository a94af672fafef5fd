import torch


def to_halves(weight, heads):
    """Rows made for pairs of neighbours, in the order for pairs by halves."""
    rows = weight.unflatten(0, (heads, -1))
    even, odd = rows[:, 0::2].flatten(0, 1), rows[:, 1::2].flatten(0, 1)
    return torch.cat([even, odd])
