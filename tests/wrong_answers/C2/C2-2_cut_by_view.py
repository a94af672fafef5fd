import torch
from torch import nn


class MultiHead(nn.Module):

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)

    def split(self, x):
        B, T, D = x.shape
        return x.view(B, self.heads, T, D // self.heads)

    def forward(self, x, source, allowed=None):
        q, k, v = map(self.split, (self.query(x), self.key(source), self.value(source)))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if allowed is not None:
            if allowed.dim() == 3:
                allowed = allowed[:, None]
            scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
        found = scores.softmax(-1) @ v
        return self.out(found.reshape(x.shape))
