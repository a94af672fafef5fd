from softdict.heads import MultiHeadAttention as MultiHead
from torch import nn


class FeedForward(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)

    def forward(self, x):
        return self.down(self.up(x))


class Decoder(nn.Module):
    """x [B, T, D] and memory [B, S, D]; returns x [B, T, D]."""

    def __init__(self, width, heads, hidden):
        super().__init__()
        self.self_attention = MultiHead(width, heads)
        self.cross_attention = MultiHead(width, heads)
        self.feed_forward = FeedForward(width, hidden)
        self.norm1 = nn.LayerNorm(width)
        self.norm2 = nn.LayerNorm(width)
        self.norm3 = nn.LayerNorm(width)

    def forward(self, x, memory, allowed=None, memory_allowed=None):
        own = self.norm1(x)
        x = x + self.self_attention(own, own, allowed)
        x = x + self.cross_attention(self.norm2(x), memory, memory_allowed)
        return x + self.feed_forward(self.norm3(x))
