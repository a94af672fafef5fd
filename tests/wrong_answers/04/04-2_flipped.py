import torch


def join(final):
    forward = final[0]
    backward = final[1].flip(0)
    return torch.cat([forward, backward], dim=1)
