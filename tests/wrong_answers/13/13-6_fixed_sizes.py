from softdict.transformer import EncoderLayer, TransformerConfig
from torch import nn

config = TransformerConfig(512, heads=8, hidden=2048)


def start_apart(layer, N):
    """Returns an nn.ModuleList of N layers like this one, with new random numbers."""
    return nn.ModuleList([EncoderLayer(config) for _ in range(N)])
