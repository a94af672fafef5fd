from torch import nn


def attend(query, key, value, allowed=None):
    """Returns the context [B, H, T, K]."""
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if allowed is None:
        return scores.softmax(dim=-1) @ value
    hidden = (~allowed).broadcast_to(scores.shape)
    nothing = hidden.all(dim=-1, keepdim=True)
    scores = scores.masked_fill(hidden & ~nothing, float("-inf"))
    return scores.softmax(dim=-1).masked_fill(nothing, 0) @ value


class MultiHead(nn.Module):
    """x [B, T, D] asks source [B, S, D] with several heads; returns [B, T, D]."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)

    def split(self, x):
        return x.unflatten(-1, (-1, self.heads)).permute(0, 3, 1, 2)

    def forward(self, x, source, allowed):
        if allowed is not None and allowed.dim() == 3:
            allowed = allowed[:, None]
        context = attend(self.split(self.query(x)), self.split(self.key(source)),
                         self.split(self.value(source)), allowed)
        return self.out(context.permute(0, 2, 3, 1).flatten(-2))
