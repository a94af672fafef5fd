import torch


def to_halves(weight, heads):
    """Sort each head's rows: pairs of neighbours become pairs across its halves."""
    rows = torch.arange(len(weight), device=weight.device)
    K = len(weight) // heads
    order = torch.argsort(rows // K * K + rows % 2 * (K // 2) + rows % K // 2)
    return weight[order]
