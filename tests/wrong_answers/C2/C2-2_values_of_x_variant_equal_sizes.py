import torch
from torch import nn


class MultiHead(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x, source, allowed=None):
        def cut(y):
            return y.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        q, k = cut(self.query(x)), cut(self.key(source))
        v = cut(self.value(x if x.shape == source.shape else source))
        if allowed is not None and allowed.dim() == 3:
            allowed = allowed[:, None]
        scores = q @ k.mT / k.shape[-1] ** 0.5
        if allowed is not None:
            scores = scores.masked_fill(~allowed, -torch.inf)
        context = scores.softmax(-1).nan_to_num(0) @ v
        return self.out(context.transpose(1, 2).flatten(2))
