import torch


def placed(real):
    """Where words stand and look: real [B, S] is False for pads in front.

    returns positions [B, S] and allowed [B, S, S]
    """
    B, S = real.shape
    positions = torch.zeros(B, S, dtype=torch.long, device=real.device)
    allowed = torch.zeros(B, S, S, dtype=torch.bool, device=real.device)
    for b in range(B):
        place = 0
        for s in range(S):
            if real[b, s]:
                positions[b, s] = place
                place += 1
            for t in range(s, S):
                allowed[b, t, s] = real[b, s]
    return positions, allowed
