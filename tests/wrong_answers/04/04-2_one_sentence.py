import torch


def join(final):
    forward, backward = final.squeeze().unbind(0)
    return torch.cat((forward, backward), dim=-1)
