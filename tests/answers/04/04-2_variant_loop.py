import torch


def join(final):
    return torch.stack([torch.cat([front, back]) for front, back in zip(*final)])
