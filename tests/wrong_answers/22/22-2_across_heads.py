import torch


def to_halves(weight, heads):
    """Sort each head's rows: pairs of neighbours become pairs across its halves."""
    return torch.cat([weight[0::2], weight[1::2]])
