import torch


def to_halves(weight, heads):
    """Sort each head's rows: pairs of neighbours become pairs across its halves."""
    K, new = len(weight) // heads, torch.empty_like(weight)
    for row in range(len(weight)):
        head, place = divmod(row, K)
        new[head * K + place // 2 + place % 2 * K // 2] = weight[row]
    return new
