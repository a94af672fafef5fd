import torch
from softdict.vocab import PAD


def packed_looks(segments):
    """Positions [B, T] and allowed [B, T, T] of texts in rows; segments [B, T]."""
    places = torch.arange(segments.shape[1], device=segments.device)     # [T]
    same = segments[:, :, None] == segments[:, None, :]                  # [B, T, T]
    starts = same.int().argmax(dim=2)                                    # [B, T]
    positions = (places - starts).masked_fill(segments == PAD, 0)        # [B, T]
    return positions, same & (segments != PAD)[:, None, :]
