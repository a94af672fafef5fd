import torch


def turn_pairs(x, positions):
    """Returns x [T, K] with each pair turned by its position."""
    K = x.shape[1]
    speeds = 10000.0 ** (-torch.arange(0, K, 2, dtype=torch.float64) / K)
    angle = torch.tensor(positions, dtype=torch.float64)[:, None] * speeds
    numbers = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)))
    return torch.view_as_real(numbers * torch.exp(1j * angle)).flatten(-2)
