import torch


def placed(real):
    """Where words stand and look: real [B, S] is False for pads in front.

    returns positions [B, S] and allowed [B, S, S]
    """
    S = real.shape[1]
    places = torch.arange(S, device=real.device)
    pads = (~real).sum(dim=1, keepdim=True)
    allowed = (places <= places[:, None]) & (places >= pads[:, :, None])
    return (places - pads).clamp(min=0), allowed
