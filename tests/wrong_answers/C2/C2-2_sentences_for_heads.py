from softdict.attention import sdpa
from torch import nn


class MultiHead(nn.Module):
    """x [B, T, D] asks source [B, S, D] with several heads; returns [B, T, D]."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def forward(self, x, source, allowed=None):
        B, T, D = x.shape
        S = source.shape[1]
        q = self.query(x).view(B, T, self.heads, self.size).transpose(1, 2)
        k = self.key(source).view(B, S, self.heads, self.size).transpose(1, 2)
        v = self.value(source).view(B, S, self.heads, self.size).transpose(1, 2)
        mask = None if allowed is None else allowed[:, None]
        context, _ = sdpa(q, k, v, mask)
        return self.out(context.transpose(1, 2).reshape(B, T, D))
