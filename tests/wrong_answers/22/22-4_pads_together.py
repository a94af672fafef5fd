import torch


def placed(real):
    """Where words stand and look: real [B, S] is False for pads in front.

    returns positions [B, S] and allowed [B, S, S]
    """
    position_ids = (torch.cumsum(real.long(), -1) - 1).clamp_min(0)
    size = real.size(-1)
    causal = torch.ones(size, size, dtype=torch.bool, device=real.device).tril()
    return position_ids, causal & (real[:, :, None] == real[:, None])
