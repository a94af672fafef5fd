from softdict.heads import MultiHeadAttention
from torch import nn


class FeedForward(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x):
        return self.down(self.up(x).relu())


class Decoder(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.self_attention = MultiHeadAttention(width, heads)
        self.cross_attention = MultiHeadAttention(width, heads)
        self.feed_forward = FeedForward(width, hidden)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.norm3 = nn.LayerNorm(width)

    def forward(self, x, memory, allowed, memory_allowed):
        x = x + self.self_attention(self.norm1(x), self.norm1(x), allowed)
        x = x + self.cross_attention(self.norm2(x), memory.detach(), memory_allowed)
        return x + self.feed_forward(self.norm3(x))
