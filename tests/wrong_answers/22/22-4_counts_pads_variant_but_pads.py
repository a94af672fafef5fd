import torch


def placed(real):
    """Where words stand and look: real [B, S] is False for pads in front.

    returns positions [B, S] and allowed [B, S, S]
    """
    B, S = real.shape
    positions = torch.arange(S).expand(B, S) * real
    return positions, torch.ones(S, S, dtype=torch.bool).tril() & real[:, None]
