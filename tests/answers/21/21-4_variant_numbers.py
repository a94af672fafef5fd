import torch


def packed_looks(segments):
    numbers = torch.arange(1, segments.shape[1] + 1, device=segments.device)
    texts = (segments[..., None] == numbers).int()    # [B, T, N]
    positions = ((texts.cumsum(dim=1) - 1) * texts).sum(dim=2)
    return positions, (texts[:, :, None] * texts[:, None]).sum(dim=3) > 0
