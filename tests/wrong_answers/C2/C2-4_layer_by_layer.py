import torch
from softdict.layers import sinusoids
from softdict.masks import causal_mask, padding_mask
from softdict.transformer import DecoderLayer, EncoderLayer, TransformerConfig
from torch import nn


class Part(nn.Module):
    def __init__(self, words, width, layers):
        super().__init__()
        self.embedding = nn.Module()
        self.embedding.table = nn.Embedding(words, width)
        self.layers = nn.ModuleList(layers)
        self.norm = nn.LayerNorm(width)

    def embed(self, ids):
        D = self.embedding.table.embedding_dim
        x = self.embedding.table(ids) * D ** 0.5
        return x + sinusoids(torch.arange(ids.shape[1]), D)


class Machine(nn.Module):
    """A Transformer: forward(source, source_lengths, target_in) gives logits."""

    def __init__(self, source_words, target_words, width, heads, layers, hidden):
        super().__init__()
        config = TransformerConfig(width, heads, layers, hidden, dropout=0.0)
        self.encoder = Part(source_words, width,
                            [EncoderLayer(config) for _ in range(layers)])
        self.decoder = Part(target_words, width,
                            [DecoderLayer(config) for _ in range(layers)])
        self.generator = nn.Linear(width, target_words)
        self.generator.weight = self.decoder.embedding.table.weight

    def forward(self, source, source_lengths, target_in):
        allowed = padding_mask(source_lengths, source.shape[1])[:, None, :]
        past = causal_mask(target_in.shape[1])
        x, y = self.encoder.embed(source), self.decoder.embed(target_in)
        for reads, writes in zip(self.encoder.layers, self.decoder.layers):
            x = reads(x, allowed)
            y = writes(y, self.encoder.norm(x), past, allowed)
        return self.generator(self.decoder.norm(y))
