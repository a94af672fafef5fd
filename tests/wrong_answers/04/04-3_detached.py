import torch


def top_layer(final):
    return torch.cat([final[-2], final[-1]], dim=-1).detach()
