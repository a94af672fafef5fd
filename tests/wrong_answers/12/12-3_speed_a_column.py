import torch


def turn_pairs(x, positions):
    """Returns x [T, K] with each pair turned by its position."""
    K = x.shape[1]
    speeds = 10000.0 ** (-torch.arange(K) / K)
    angle = torch.tensor(positions)[:, None] * speeds
    flipped = torch.stack([-x[:, 1::2], x[:, 0::2]], dim=-1).flatten(-2)
    return x * angle.cos() + flipped * angle.sin()
