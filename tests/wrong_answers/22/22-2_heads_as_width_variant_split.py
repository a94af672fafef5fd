import torch


def to_halves(weight, heads):
    parts = []
    for head in weight.split(heads):
        parts.append(torch.cat([head[0::2], head[1::2]]))
    return torch.cat(parts)
