from collections import OrderedDict

from softdict.heads import MultiHeadAttention
from torch import nn


class Decoder(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.self_attention = MultiHeadAttention(width, heads)
        self.cross_attention = MultiHeadAttention(width, heads)
        self.feed_forward = nn.Sequential(OrderedDict(
            up=nn.Linear(width, hidden), relu=nn.ReLU(),
            down=nn.Linear(hidden, width)))
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(width) for _ in range(3))

    def forward(self, x, memory, allowed=None, memory_allowed=None):
        x = x + self.self_attention(self.norm1(x), allowed=allowed)
        x = x + self.cross_attention(self.norm2(x), memory, memory_allowed)
        return x + self.feed_forward(self.norm3(x))
