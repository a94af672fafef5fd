import torch


def to_halves(weight, heads):
    """Sort each head's rows: pairs of neighbours become pairs across its halves."""
    new = torch.empty(weight.shape, dtype=weight.dtype)
    rows = weight.unflatten(0, (heads, -1, 2)).transpose(1, 2).reshape(weight.shape)
    for row in range(len(new)):
        new[row] = rows[row]
    return new
