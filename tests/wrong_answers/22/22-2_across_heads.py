import torch


def to_halves(weight, heads):
    """Rows made for pairs of neighbours, in the order for pairs by halves."""
    return torch.cat([weight[0::2], weight[1::2]])
