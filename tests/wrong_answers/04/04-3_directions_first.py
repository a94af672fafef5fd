import torch


def top_layer(final):
    forward, backward = final.chunk(2)
    return torch.cat([forward[-1], backward[-1]], dim=-1)
