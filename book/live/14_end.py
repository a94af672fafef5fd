"""End state of the live script for chapter 14: a decoder layer, and two tests of it."""

import torch
from softdict.heads import MultiHeadAttention
from softdict.layers import FeedForward
from softdict.masks import causal_mask, padding_mask
from torch import nn

parts = MultiHeadAttention, FeedForward, nn.LayerNorm
masks = causal_mask, padding_mask
torch.manual_seed(0)


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.own = MultiHeadAttention(width, heads)
        self.cross = MultiHeadAttention(width, heads)
        self.feed_forward = FeedForward(width, 4 * width)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))

    def forward(self, x, memory, later, pads):
        x = x + self.own(self.norms[0](x), allowed=later)
        x = x + self.cross(self.norms[1](x), memory, pads)
        return x + self.feed_forward(self.norms[2](x))


layer = Layer(12, heads=3)
x, memory = torch.randn(2, 5, 12), torch.randn(2, 7, 12)    # [B, T, D], [B, S, D]
later = causal_mask(5)                                      # [T, T]
pads = padding_mask(torch.tensor([7, 4]), 7)[:, None]       # [B, 1, S]
new = layer(x, memory, later, pads)                         # [B, T, D]
print(tuple(new.shape))

nonsense = memory.clone()
nonsense[1, 4:] = torch.randn(3, 12)    # the pads of the second source
last = x.clone()
last[:, 4] = torch.randn(2, 12)         # another last piece
moved = (layer(last, memory, later, pads) - new).abs().amax(dim=(0, 2)) > 1e-6
pads_matter = not torch.allclose(layer(x, nonsense, later, pads), new)
unmasked = not torch.allclose(layer(x, nonsense, later, None),
                              layer(x, memory, later, None))
print("places that move:", moved.nonzero().flatten().tolist())
print("pads matter:", pads_matter)
print("pads matter without the mask:", unmasked)


def check():
    """Asserts what the script shows."""
    from softdict.transformer import DecoderLayer, TransformerConfig

    assert tuple(new.shape) == (2, 5, 12)
    assert moved.tolist() == [False] * 4 + [True]
    assert not pads_matter and unmasked
    theirs = DecoderLayer(TransformerConfig(12, 3, hidden=48, dropout=0.0))
    names = {"own": "self_attention", "cross": "cross_attention", "norms.0": "norm1",
             "norms.1": "norm2", "norms.2": "norm3", "feed_forward": "feed_forward"}
    numbers = {}
    for name, number in layer.state_dict().items():
        [start] = [one for one in names if name.startswith(f"{one}.")]
        numbers[name.replace(start, names[start], 1)] = number
    theirs.load_state_dict(numbers)
    torch.testing.assert_close(theirs(x, memory, later, pads), new)


check()
