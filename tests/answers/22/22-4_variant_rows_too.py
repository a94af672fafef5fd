import torch


def placed(real):
    """Where words stand and look: real [B, S] is False for pads in front.

    returns positions [B, S] and allowed [B, S, S]
    """
    S = real.shape[1]
    causal = torch.ones(S, S, dtype=torch.bool, device=real.device).tril()
    both = real[:, :, None] & real[:, None, :]
    counts = torch.cumsum(real.long(), dim=1)
    return [(counts - 1) * real, both & causal]
