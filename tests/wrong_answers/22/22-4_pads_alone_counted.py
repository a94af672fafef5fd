import torch


def placed(real):
    """Where words stand and look: real [B, S] is False for pads in front.

    returns positions [B, S] and allowed [B, S, S]
    """
    S = real.shape[1]
    places = torch.arange(S, device=real.device)
    first = real.int().argmax(dim=1, keepdim=True)
    positions = (places - first).clamp(min=0)
    allowed = (places[None, :] <= places[:, None]) & real[:, None, :]
    return positions, allowed
