import torch


def packed_looks(segments):
    B, T = segments.shape
    positions = torch.zeros_like(segments)
    allowed = torch.zeros(B, T, T, dtype=torch.bool, device=segments.device)
    for b in range(B):
        for t in range(T):
            own = segments[b, t]
            if own == 0:
                continue
            if t and segments[b, t - 1] == own:
                positions[b, t] = positions[b, t - 1] + 1
            for s in range(T):
                allowed[b, t, s] = segments[b, s] == own
    return positions, allowed
