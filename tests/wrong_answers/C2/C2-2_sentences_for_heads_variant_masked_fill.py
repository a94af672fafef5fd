from torch import nn


def attend(query, key, value, allowed=None):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if allowed is not None:
        scores = scores.masked_fill(~allowed, float("-inf"))
    weights = scores.softmax(dim=-1)
    if allowed is not None:
        weights = weights.masked_fill(~allowed, 0)
    return weights @ value


class MultiHead(nn.Module):
    """x [B, T, D] asks source [B, S, D] with several heads; returns [B, T, D]."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def cut(self, x):
        B, T, D = x.shape
        return x.view(B, T, self.heads, D // self.heads).transpose(1, 2)

    def forward(self, x, source, allowed=None):
        query = self.cut(self.query(x))
        key, value = self.cut(self.key(source)), self.cut(self.value(source))
        if allowed is not None:
            allowed = allowed[:, None]
        context = attend(query, key, value, allowed)
        return self.out(context.transpose(1, 2).flatten(2))
