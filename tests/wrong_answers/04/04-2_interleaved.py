import torch


def join(final):
    return torch.stack([final[0], final[1]], dim=-1).flatten(1)
