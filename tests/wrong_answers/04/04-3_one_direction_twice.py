import torch


def top_layer(final):
    return torch.cat([final[-1], final[-1]], dim=-1)
