import torch
from softdict.vocab import PAD


def packed_looks(segments):
    places = torch.arange(segments.shape[1])
    same = segments[:, :, None] == segments[:, None, :]
    starts = same.int().argmax(dim=2)
    positions = (places - starts) * (segments != PAD)
    return positions, same & (segments != PAD)[:, None, :]
