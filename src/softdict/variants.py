"""The Transformer with other parts: the paper's norms, learned or rotary positions.

Each part stands beside the plain one and takes its place from outside.
"""

from dataclasses import replace
from functools import partial

from torch import nn

from softdict.heads import rotary
from softdict.layers import LearnedPositions
from softdict.transformer import (
    DecoderLayer, Embedding, EncoderLayer, Transformer, TransformerConfig,
    TransformerDecoder, TransformerEncoder)

BOOK = TransformerConfig(width=128, heads=4, layers=2, hidden=512)
ENCODINGS = ("sinusoidal", "learned", "rotary")


class PostNormEncoderLayer(EncoderLayer):
    """The paper's layer: a norm stands after each sum, and none before a sub-layer.

    Vaswani et al. 2017, section 3.1
    """

    def forward(self, x, allowed=None):
        """As EncoderLayer: x [B, T, D]; returns x [B, T, D]."""
        x = self.norm1(x + self.dropout(self.self_attention(x, allowed=allowed)))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


class PostNormDecoderLayer(DecoderLayer):
    """The paper's decoder layer. Vaswani et al. 2017, section 3.1."""

    def forward(self, x, memory, allowed=None, memory_allowed=None):
        """As DecoderLayer: x [B, T, D], memory [B, S, D]; returns x [B, T, D]."""
        x = self.norm1(x + self.dropout(self.self_attention(x, allowed=allowed)))
        x = self.norm2(
            x + self.dropout(self.cross_attention(x, memory, memory_allowed)))
        return self.norm3(x + self.dropout(self.feed_forward(x)))


class UnplacedEmbedding(Embedding):
    """Ids to vectors that do not tell where a word stands: for rotary positions."""

    def forward(self, ids, positions):
        """ids [B, T], positions [T] that are not used; returns x [B, T, D]."""
        return self.dropout(self.table(ids) * self.table.embedding_dim ** 0.5)


class LearnedEmbedding(UnplacedEmbedding):
    """Ids to vectors plus learned codes, for at most `context_length` positions."""

    def __init__(self, vocab_size, config, context_length=512):
        super().__init__(vocab_size, config)
        self.context_length = context_length
        self.learned = LearnedPositions(context_length, config.width)

    def forward(self, ids, positions):
        """ids [B, T], positions [T]; returns x [B, T, D]; ValueError if one is too far.

        on a GPU a position that is too far ends in an assertion of torch
        """
        x = self.table(ids) * self.table.embedding_dim ** 0.5
        try:
            return self.dropout(x + self.learned(positions))
        except IndexError:
            raise ValueError(
                f"this model has learned codes for {self.context_length} positions; "
                f"got {int(positions.max()) + 1} words") from None


def make_variant(source_words, target_words, config=TransformerConfig(),
                 positional_encoding="sinusoidal", pre_norm=True, tied=True,
                 context_length=512):
    """A Transformer with other parts; without options, that of `make_transformer`.

    positional_encoding is "sinusoidal", "learned" (for `context_length` positions) or
    "rotary"
    raises ValueError for another positional_encoding
    """
    if positional_encoding not in ENCODINGS:
        raise ValueError("positional_encoding must be one of "
                         f"{', '.join(ENCODINGS)}; got {positional_encoding!r}")
    learned = partial(LearnedEmbedding, context_length=context_length)
    embedding = dict(zip(ENCODINGS, (Embedding, learned, UnplacedEmbedding)))
    embedding = embedding[positional_encoding]
    encoder_layer, decoder_layer = EncoderLayer, DecoderLayer
    norm = partial(nn.LayerNorm, config.width)
    if not pre_norm:
        encoder_layer, decoder_layer = PostNormEncoderLayer, PostNormDecoderLayer
        norm = nn.Identity    # the last sum was normalised
    # in the order of `make_transformer`, so that one seed gives both the same weights
    encoder = TransformerEncoder(
        embedding(source_words, config),
        [encoder_layer(config) for _ in range(config.layers)], norm())
    decoder = TransformerDecoder(
        embedding(target_words, config),
        [decoder_layer(config) for _ in range(config.layers)], norm())
    if positional_encoding == "rotary":
        for layer in [*encoder.layers, *decoder.layers]:
            layer.self_attention.attend = partial(rotary, attend=config.attend)
    return Transformer(encoder, decoder, tied)


def book_transformer(source_words, target_words, positional_encoding="sinusoidal",
                     pre_norm=True, tied=True, **sizes):
    """A Transformer of the size that the book trains: small enough for a CPU.

    sizes are those fields of TransformerConfig that are to differ from BOOK
    """
    return make_variant(source_words, target_words, replace(BOOK, **sizes),
                        positional_encoding, pre_norm, tied)
