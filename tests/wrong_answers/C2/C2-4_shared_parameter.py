import torch
from softdict.layers import sinusoids
from softdict.transformer import DecoderLayer, EncoderLayer, TransformerConfig
from torch import nn


class Embedding(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.table = nn.Embedding(words, width)

    def forward(self, ids):
        width = self.table.embedding_dim
        positions = torch.arange(ids.shape[1], device=ids.device)
        return self.table(ids) * width ** 0.5 + sinusoids(positions, width)


class Stack(nn.Module):
    def __init__(self, words, width, layers):
        super().__init__()
        self.embedding = Embedding(words, width)
        self.layers = nn.ModuleList(layers)
        self.norm = nn.LayerNorm(width)

    def forward(self, ids, *rest):
        x = self.embedding(ids)
        for layer in self.layers:
            x = layer(x, *rest)
        return self.norm(x)


class Machine(nn.Module):
    def __init__(self, source_words, target_words, width, heads, layers, hidden):
        super().__init__()
        config = TransformerConfig(width, heads, layers, hidden, 0.0)
        self.encoder = Stack(source_words, width,
                             [EncoderLayer(config) for _ in range(layers)])
        self.decoder = Stack(target_words, width,
                             [DecoderLayer(config)] * layers)
        self.generator = nn.Linear(width, target_words)
        self.generator.weight = self.decoder.embedding.table.weight

    def forward(self, source, source_lengths, target_in):
        """source [B, S], source_lengths [B], target_in [B, T]; returns [B, T, V]."""
        places = torch.arange(source.shape[1], device=source.device)
        words = (places < source_lengths.to(source.device)[:, None])[:, None, :]
        memory = self.encoder(source, words)
        steps = torch.arange(target_in.shape[1], device=source.device)
        causal = steps[None, :] <= steps[:, None]
        return self.generator(self.decoder(target_in, memory, causal, words))
