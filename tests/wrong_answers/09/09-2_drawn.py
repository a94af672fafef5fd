import torch


def divisor(K, a, b):
    """Returns what brings the standard deviation of the dot products to 1."""
    products = a * torch.randn(5000, K) * b * torch.randn(5000, K)
    return products.sum(dim=-1).std().item()
