import torch


def packed_looks(segments):
    """Positions [B, T] and allowed [B, T, T] of texts in rows; segments [B, T]."""
    B, T = segments.shape
    real = segments != 0
    allowed = segments.unsqueeze(2).eq(segments.unsqueeze(1))
    allowed = allowed & real.unsqueeze(2) & real.unsqueeze(1)
    allowed = allowed | torch.eye(T, dtype=torch.bool, device=segments.device)
    positions = torch.zeros_like(segments)
    for t in range(1, T):
        goes_on = real[:, t] & (segments[:, t] == segments[:, t - 1])
        positions[:, t] = torch.where(goes_on, positions[:, t - 1] + 1, 0)
    return positions, allowed
