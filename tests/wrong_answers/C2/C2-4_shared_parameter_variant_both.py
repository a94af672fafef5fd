from softdict.layers import sinusoids
from softdict.transformer import DecoderLayer, EncoderLayer, TransformerConfig
from torch import nn
import torch


class Embedding(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.table = nn.Embedding(words, width)

    def forward(self, ids):
        positions = torch.arange(ids.shape[1], device=ids.device)
        width = self.table.embedding_dim
        return self.table(ids) * width ** 0.5 + sinusoids(positions, width)


class Stack(nn.Module):
    def __init__(self, words, width, layers):
        super().__init__()
        self.embedding = Embedding(words, width)
        self.layers = nn.ModuleList(layers)
        self.norm = nn.LayerNorm(width)

    def forward(self, ids, *others):
        x = self.embedding(ids)
        for layer in self.layers:
            x = layer(x, *others)
        return self.norm(x)


class Machine(nn.Module):
    """A Transformer: forward(source, source_lengths, target_in) gives logits."""

    def __init__(self, source_words, target_words, width, heads, layers, hidden):
        super().__init__()
        config = TransformerConfig(width, heads, layers, hidden, dropout=0.0)
        self.encoder = Stack(source_words, width,
                             [EncoderLayer(config)] * layers)
        self.decoder = Stack(target_words, width,
                             [DecoderLayer(config)] * layers)
        self.generator = nn.Linear(width, target_words)
        self.generator.weight = self.decoder.embedding.table.weight

    def forward(self, source, source_lengths, target_in):
        S, T = source.shape[1], target_in.shape[1]
        columns = torch.arange(S, device=source.device)
        real = (columns < source_lengths[:, None])[:, None, :]
        past = torch.ones(T, T, dtype=torch.bool, device=source.device).tril()
        memory = self.encoder(source, real)
        return self.generator(self.decoder(target_in, memory, past, real))
