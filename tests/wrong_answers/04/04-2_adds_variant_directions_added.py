import torch


def join(final):
    return torch.cat([final[0] + final[1], final[0] + final[1]], dim=-1)
