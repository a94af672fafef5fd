"""The book's models by name: how each is built and trained, and the words it knows."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

from torch import nn

from softdict import corpus
from softdict.attention import Additive, General, scaled_dot
from softdict.lookup import dot
from softdict.seq2seq import Attend, Decoder, Encoder, LuongDecoder, Seq2Seq
from softdict.training import Settings
from softdict.variants import book_transformer
from softdict.vocab import Vocab

PAIRS = 20_000    # in the training split
LONGEST = 24      # words of its longest sentence, without the tag of the register


@dataclass(frozen=True)
class Recipe:
    """How one of the book's models is made; words name it for a reader.

    build(source words, target words, **options) gives it untrained
    """

    build: Callable
    settings: Settings
    words: str


def rnn(source_words, target_words, width=192, encoder=Encoder, model=Seq2Seq):
    """Chapter 04's model: all that the decoder knows of the source is one vector."""
    return model(encoder(source_words, width=width),
                 Decoder(target_words, width=width))


def attending(source_words, target_words, width=192, context=None,
              decoder=LuongDecoder):
    """Chapter 07's model; context(width) makes what looks at the source."""
    encoder = Encoder(source_words, width=width)
    return Seq2Seq(encoder, decoder(target_words, width=width, context=context(width)))


def dot_context(width):
    return Attend(dot)


def scaled_context(width):
    return Attend(scaled_dot)


def general_context(width):
    return Attend(General(width, width))


def additive_context(width):
    return Attend(Additive(width, width), nn.Linear(width, width, bias=False))


RECIPES = {
    "rnn": Recipe(rnn, Settings(peak_rate=6e-3), "an RNN without attention"),
    "attention-dot": Recipe(
        partial(attending, context=dot_context), Settings(peak_rate=2e-3),
        "an RNN with attention by dot products"),
    "attention-scaled": Recipe(
        partial(attending, context=scaled_context), Settings(peak_rate=4e-3),
        "an RNN with attention by scaled dot products"),
    "attention-general": Recipe(
        partial(attending, context=general_context), Settings(peak_rate=2e-3),
        "an RNN with general attention (Luong)"),
    "attention-additive": Recipe(
        partial(attending, context=additive_context), Settings(peak_rate=2e-3),
        "an RNN with additive attention (Bahdanau)"),
    "transformer": Recipe(
        book_transformer, Settings(peak_rate=2e-3),
        "a Transformer with sinusoidal positions"),
    "transformer-rotary": Recipe(
        partial(book_transformer, position_encoding="rotary"), Settings(peak_rate=2e-3),
        "a Transformer with rotary positions"),
}


@cache
def vocabs(pairs=PAIRS):
    """Vocabularies of English and of Korean, from the first pairs of the training."""
    chosen = corpus.split("train")[:pairs]
    return (Vocab(pair.words for pair in chosen),
            Vocab(pair.morphemes for pair in chosen))
