import torch


def placed(real):
    """Where words stand and look: real [B, S] is False for pads in front.

    returns positions [B, S] and allowed [B, S, S]
    """
    positions = (real.cumsum(dim=1) - 1).clamp(min=0)
    S = real.shape[1]
    allowed = torch.zeros(len(real), S, S, dtype=torch.bool)
    allowed[:] = real[:, None, :] & torch.ones(S, S).bool().tril()
    return positions, allowed
