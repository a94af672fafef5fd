"""The Transformer: an encoder that reads the source, a decoder that writes the target.

It is pre-norm: a norm stands before each sub-layer. The paper's stand after the sums;
`variants` has them, and other parts that can be exchanged.
"""

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import torch
from torch import nn

from softdict.attention import sdpa
from softdict.batches import pads_behind
from softdict.cache import DecoderCache, check_decoder, check_pads, with_cache
from softdict.heads import MultiHeadAttention, attending, watched
from softdict.layers import Dropout, FeedForward, exchanged, sinusoids
from softdict.masks import causal_mask, padding_mask
from softdict.vocab import PAD


@dataclass(frozen=True)
class TransformerConfig:
    """The sizes of a Transformer, and the function that its heads attend with."""

    width: int = 256
    heads: int = 8
    layers: int = 3
    hidden: int = 1024
    dropout: float = 0.1
    attend: Callable = sdpa


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward: each is added to what it was given.

    Vaswani et al. 2017, section 3.1; norms as in Xiong et al. 2020, figure 1b
    """

    def __init__(self, config):
        super().__init__()
        width = config.width
        self.self_attention = MultiHeadAttention(width, config.heads, config.attend)
        self.feed_forward = FeedForward(width, config.hidden, config.dropout)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.dropout = Dropout(config.dropout)

    def forward(self, x, allowed=None):
        """x [B, T, D]; returns x [B, T, D].

        allowed [B, T, T], [B, 1, T] or [T, T] is True where a word may look
        """
        x = x + self.dropout(self.self_attention(self.norm1(x), allowed=allowed))
        return x + self.dropout(self.feed_forward(self.norm2(x)))


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention to the source, then feed-forward.

    Vaswani et al. 2017, section 3.1
    """

    def __init__(self, config):
        super().__init__()
        width = config.width
        self.self_attention = MultiHeadAttention(width, config.heads, config.attend)
        self.cross_attention = MultiHeadAttention(width, config.heads, config.attend)
        self.feed_forward = FeedForward(width, config.hidden, config.dropout)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.norm3 = nn.LayerNorm(width)
        self.dropout = Dropout(config.dropout)

    def forward(self, x, memory, allowed=None, memory_allowed=None):
        """x [B, T, D] and what the encoder made, memory [B, S, D]; returns x [B, T, D].

        allowed [T, T] and memory_allowed [B, 1, S] are True where a word may look
        """
        x = x + self.dropout(self.self_attention(self.norm1(x), allowed=allowed))
        x = x + self.dropout(
            self.cross_attention(self.norm2(x), memory, memory_allowed))
        return x + self.dropout(self.feed_forward(self.norm3(x)))


class Embedding(nn.Module):
    """Ids to vectors: rows of a table times the root of the width, plus sinusoids.

    Vaswani et al. 2017, sections 3.4 and 3.5
    """

    def __init__(self, vocab_size, config):
        super().__init__()
        self.table = nn.Embedding(vocab_size, config.width, padding_idx=PAD)
        nn.init.normal_(self.table.weight, std=config.width ** -0.5)
        nn.init.zeros_(self.table.weight[PAD])
        self.dropout = Dropout(config.dropout)

    def forward(self, ids, positions):
        """ids [B, T] and their positions [T]; returns x [B, T, D]."""
        width = self.table.embedding_dim
        x = self.table(ids) * width ** 0.5    # [B, T, D]
        return self.dropout(x + sinusoids(positions, width).to(x.dtype))


class TransformerEncoder(nn.Module):
    """Reads the source: embedding, layers, and a norm of what the last layer adds up.

    with norms in front of each part, nothing has normalised the last sum
    """

    def __init__(self, embedding, layers, norm):
        super().__init__()
        self.embedding, self.layers, self.norm = embedding, nn.ModuleList(layers), norm

    def forward(self, source, allowed):
        """source [B, S], allowed [B, 1, S]: where it has words; returns x [B, S, D]."""
        positions = torch.arange(source.shape[1], device=source.device)    # [S]
        x = self.embedding(source, positions)                              # [B, S, D]
        for layer in self.layers:
            x = layer(x, allowed)
        return self.norm(x)


class TransformerDecoder(nn.Module):
    """Writes the target: embedding, layers that look at the source too, and a norm."""

    def __init__(self, embedding, layers, norm):
        super().__init__()
        self.embedding, self.layers, self.norm = embedding, nn.ModuleList(layers), norm

    def forward(self, target, memory, memory_allowed):
        """target [B, T], memory [B, S, D]; returns x [B, T, D].

        memory_allowed [B, 1, S] is True where the source has words
        """
        positions = torch.arange(target.shape[1], device=target.device)    # [T]
        x = self.embedding(target, positions)                              # [B, T, D]
        allowed = causal_mask(len(positions), x.device)                    # [T, T]
        for layer in self.layers:
            x = layer(x, memory, allowed, memory_allowed)
        return self.norm(x)

    def start(self, memory, memory_allowed):
        """A cache without a word, for a source with memory [B, S, D]."""
        check_decoder(self, memory, memory_allowed)
        source = [layer.cross_attention.keys_and_values(memory)
                  for layer in self.layers]
        return DecoderCache(source, memory_allowed, [None] * len(self.layers))

    def step(self, ids, cache):
        """The newest words, ids [N]; returns x [N, D] and the cache with them."""
        cache, length = cache.copy(), cache.length
        layers = [with_cache(layer, cache, number)
                  for number, layer in enumerate(self.layers)]
        moved = exchanged(self, layers=layers, embedding=lambda ids, positions:
                          self.embedding(ids, positions + length))
        # the cache in place of the memory: None would mean self-attention
        x = moved(ids[:, None], cache, cache.memory_allowed)    # [N, 1, D]
        cache.check(length + 1)
        return x[:, 0], cache


class Transformer(nn.Module):
    """Encoder, decoder, and a generator that scores every word of the target language.

    tied: the generator's matrix is the table of the target's embedding
    Vaswani et al. 2017, section 3
    """

    def __init__(self, encoder, decoder, tied=True):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
        table = decoder.embedding.table
        self.generator = nn.Linear(table.embedding_dim, table.num_embeddings)
        if tied:
            self.generator.weight = table.weight

    def encode(self, source, source_lengths):
        """source [B, S], source_lengths [B]; pads may follow the words or precede them.

        returns memory [B, S, D] and allowed [B, 1, S]: where the source has words
        """
        source, size = pads_behind(source), source.shape[1]
        allowed = padding_mask(source_lengths.to(source.device), size)[:, None, :]
        return self.encoder(source, allowed), allowed

    def states(self, source, source_lengths, target_in):
        """What the generator scores.

        source [B, S], source_lengths [B], target_in [B, T]; returns x [B, T, D]
        """
        return self.decoder(target_in, *self.encode(source, source_lengths))

    def forward(self, source, source_lengths, target_in):
        """Scores of every target word, from `states`; returns logits [B, T, V]."""
        return self.generator(self.states(source, source_lengths, target_in))

    def start(self, source, source_lengths):
        """A cache before the first word; source [B, S], source_lengths [B].

        raises TypeError for a model that no cache can serve, or that pads change
        """
        check_pads(self, source)
        return self.decoder.start(*self.encode(source, source_lengths))

    def step(self, ids, cache):
        """Scores of the next word, after ids [N]; returns logits [N, V] and a cache."""
        x, cache = self.decoder.step(ids, cache)
        return self.generator(x), cache

    def reorder(self, cache, chosen):
        """The rows `chosen` [M] of a cache, in this order: one for each translation."""
        return cache.reorder(chosen)


def make_transformer(source_words, target_words, config=TransformerConfig()):
    """A Transformer with random weights for vocabularies of these sizes."""
    width = config.width
    encoder = TransformerEncoder(
        Embedding(source_words, config),
        [EncoderLayer(config) for _ in range(config.layers)], nn.LayerNorm(width))
    decoder = TransformerDecoder(
        Embedding(target_words, config),
        [DecoderLayer(config) for _ in range(config.layers)], nn.LayerNorm(width))
    return Transformer(encoder, decoder)


@contextmanager
def recorded_weights(model):
    """Inside, keeps the weights of every multi-head attention of a model.

    gives a dict from the attention's name in the model to its weights [B, H, T, S]
    """
    kept = {}
    with attending({part: watched(part.attend, partial(kept.__setitem__, name))
                    for name, part in model.named_modules()
                    if isinstance(part, MultiHeadAttention)}):
        yield kept


def all_weights(model, source, source_lengths, target_in):
    """Where every head of every layer of a Transformer looks: a tensor for each layer.

    source [B, S], source_lengths [B], target_in [B, T]; returns three lists: the
    encoder's self-attention [B, H, S, S], the decoder's self-attention [B, H, T, T],
    and its cross-attention [B, H, T, S]
    """
    with recorded_weights(model) as kept:
        model.states(source, source_lengths, target_in)
    starts = ("encoder", "self_attention"), ("decoder", "self"), ("decoder", "cross")
    return tuple([weights for name, weights in kept.items()
                  if name.startswith(stack) and f".{kind}" in name]
                 for stack, kind in starts)
