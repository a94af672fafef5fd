import torch
from softdict.vocab import PAD


def packed_looks(segments):
    T, device = segments.shape[1], segments.device
    places = torch.arange(T, device=device).expand_as(segments)
    same = segments[:, :, None] == segments[:, None, :]
    real = segments != PAD
    starts = same.int().argmax(dim=2)
    positions = (places - starts) * real
    allowed = same & real[:, None, :]
    return positions, allowed.long()
