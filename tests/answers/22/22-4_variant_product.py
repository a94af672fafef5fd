import torch


def placed(real):
    """Where words stand and look: real [B, S] is False for pads in front.

    returns positions [B, S] and allowed [B, S, S]
    """
    S = real.shape[1]
    whole = real.long()
    looks = torch.ones(S, S, device=real.device).long().tril() * whole[:, None]
    return looks.sum(dim=-1).sub(1).clamp(min=0), looks.bool()
