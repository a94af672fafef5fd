from torch import nn


def attend(query, key, value, allowed=None):
    scores = query @ key.transpose(-2, -1) / key.shape[-1] ** 0.5
    if allowed is not None:
        scores = scores.masked_fill(~allowed, float("-inf"))
    return scores.softmax(dim=-1).nan_to_num(0.0) @ value


class MultiHead(nn.Module):
    """x [B, T, D] asks source [B, S, D] with several heads; returns [B, T, D]."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)    # [B, H, T, K]

    def forward(self, x, source, allowed=None):
        allowed = allowed if allowed is None else allowed.unsqueeze(-3)
        context = attend(self.split(self.query(x)), self.split(self.key(source)),
                         self.split(self.value(x)), allowed)
        return self.out(context.transpose(1, 2).flatten(-2))
