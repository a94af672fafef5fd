import torch


def to_halves(weight, heads):
    parts = []
    for head in weight.chunk(heads):
        parts += [head[0::2], head[1::2].detach()]
    return torch.cat(parts)
