import torch
from softdict.layers import sinusoids
from torch import nn


def attend(query, key, value, allowed):
    scores = query @ key.transpose(-2, -1) / key.shape[-1] ** 0.5    # [B, H, T, S]
    scores = scores.masked_fill(~allowed, float("-inf"))
    return scores.softmax(dim=-1).nan_to_num(0.0) @ value            # [B, H, T, K]


class MultiHead(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key, self.value = nn.Linear(width, width), nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def forward(self, x, source, allowed):
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2)    # heads in front
            for part in (self.query(x), self.key(source), self.value(source)))
        context = attend(query, key, value, allowed.unsqueeze(-3))
        return self.out(context.transpose(1, 2).flatten(-2))         # [B, T, D]


class FeedForward(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x):
        return self.down(self.up(x).relu())


class Encoder(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.self_attention = MultiHead(width, heads)
        self.feed_forward = FeedForward(width, hidden)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x, allowed):
        own = self.norm1(x)
        x = x + self.self_attention(own, own, allowed)
        return x + self.feed_forward(self.norm2(x))


class Decoder(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.self_attention = MultiHead(width, heads)
        self.cross_attention = MultiHead(width, heads)
        self.feed_forward = FeedForward(width, hidden)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.norm3 = nn.LayerNorm(width)

    def forward(self, x, memory, allowed, memory_allowed):
        own = self.norm1(x)
        x = x + self.self_attention(own, own, allowed)
        x = x + self.cross_attention(self.norm2(x), memory, memory_allowed)
        return x + self.feed_forward(self.norm3(x))


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
        sizes = width, heads, hidden
        self.encoder = Stack(source_words, width,
                             [Encoder(*sizes) for _ in range(layers)])
        self.decoder = Stack(target_words, width,
                             [Decoder(*sizes) for _ in range(layers)])
        self.generator = nn.Linear(width, target_words)
        self.generator.weight = self.decoder.embedding.table.weight

    def forward(self, source, source_lengths, target_in):
        """source [B, S], source_lengths [B], target_in [B, T]; returns [B, T, V]."""
        places = torch.arange(source.shape[1], device=source.device)
        words = (places < source_lengths.to(source.device)[:, None])[:, None, :]
        memory = self.encoder(source, words)
        steps = torch.arange(target_in.shape[1], device=source.device)
        causal = steps[None, :] <= steps[:, None]
        everything = torch.ones_like(words)
        return self.generator(self.decoder(target_in, memory, causal, everything))
