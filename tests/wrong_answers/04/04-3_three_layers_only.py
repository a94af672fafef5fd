import torch


def top_layer(final):
    return torch.cat([final[4 % len(final)], final[5 % len(final)]], dim=-1)
