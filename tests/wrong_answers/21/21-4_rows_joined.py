import torch


def packed_looks(segments):
    """Positions [B, T] and allowed [B, T, T] of texts in rows; segments [B, T]."""
    positions, count, last = [], 0, None
    for segment in segments.flatten().tolist():
        count = count + 1 if segment == last and segment else 0
        positions.append(count)
        last = segment
    positions = torch.tensor(positions, device=segments.device).view(segments.shape)
    allowed = torch.einsum("bt,bs->bts", (segments > 0).int(), (segments > 0).int()) > 0
    return positions, allowed & (segments[:, :, None] == segments[:, None, :])
