"""Codes of all columns, shifted behind the pads."""

import torch
from softdict.layers import sinusoids


def left_padded(x, allowed):
    B, T, D = x.shape
    codes = sinusoids(torch.arange(T).float(), D)
    out = []
    for row, seen in zip(x, allowed):
        pads = int((~seen).sum())
        out.append(torch.cat([row[:pads], row[pads:] + codes[:T - pads]]))
    return torch.stack(out)
