from softdict.attention import sdpa
from torch import nn


class MultiHead(nn.Module):
    """x [B, T, D] asks source [B, S, D] with several heads; returns [B, T, D]."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        for name in ("query", "key", "value", "out"):
            setattr(self, name, nn.Linear(width, width))

    def forward(self, x, source, allowed=None):
        query, key, value = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
                             for part in (self.query(x), self.key(source),
                                          self.value(source)))
        if allowed is not None:
            allowed = allowed.unsqueeze(-3)
        context, _ = sdpa(query, key, value, allowed)
        return x + self.out(context.transpose(1, 2).flatten(-2))
