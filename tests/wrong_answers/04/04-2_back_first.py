import torch


def join(final):
    return torch.cat([final[1], final[0]], dim=-1)
