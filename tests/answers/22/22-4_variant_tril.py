import torch


def placed(real):
    """Where words stand and look: real [B, S] is False for pads in front.

    returns positions [B, S] and allowed [B, S, S]
    """
    allowed = real[:, None, :].repeat(1, real.shape[1], 1).tril()
    positions = torch.where(real, real.cumsum(dim=1) - 1, 0)
    return positions.int(), allowed
