from softdict.heads import MultiHeadAttention as MultiHead
from torch import nn


class FeedForward(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x):
        return self.down(self.up(x).relu())


class Decoder(nn.Module):
    """x [B, T, D] and memory [B, S, D]; returns x [B, T, D]."""

    def __init__(self, width, heads, hidden):
        super().__init__()
        self.self_attention = MultiHead(width, heads)
        self.cross_attention = MultiHead(width, heads)
        self.feed_forward = FeedForward(width, hidden)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.norm3 = nn.LayerNorm(width)

    def forward(self, x, memory, allowed=None, memory_allowed=None):
        own = self.norm1(x)
        from_self = self.self_attention(own, own, allowed)
        from_source = self.cross_attention(self.norm2(x), memory, memory_allowed)
        x = x + from_self + from_source
        return x + self.feed_forward(self.norm3(x))
