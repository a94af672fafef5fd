import torch


def packed_looks(segments):
    T = segments.shape[1]
    places = torch.arange(T, device=segments.device).expand_as(segments)
    first = torch.ones_like(segments, dtype=torch.bool)
    first[:, 1:] = segments[:, 1:] != segments[:, :-1]
    starts = (places * first).cummax(dim=1).values
    positions = (places - starts) * (segments > 0)
    same = (segments[:, :, None] - segments[:, None]) == 0
    return positions, same & (segments[:, None] > 0)
