import torch


def to_halves(weight, heads):
    """Sort each head's rows: pairs of neighbours become pairs across its halves."""
    rows = weight.unflatten(0, (heads, -1))         # one head after the other
    pairs = [rows[:, 0::2], rows[:, 1::2]]
    return torch.cat(pairs, dim=1).flatten(0, 1)    # halves within each head
