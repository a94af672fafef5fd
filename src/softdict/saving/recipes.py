"""The book's models by name: how each is built and trained, and the words it knows."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

from torch import nn

from softdict import corpus
from softdict.attention import Additive, General, scaled_dot
from softdict.layers import Dropout
from softdict.lookup import dot
from softdict.seq2seq import Attend, Decoder, Encoder, LuongDecoder, Seq2Seq
from softdict.training import Settings
from softdict.transformer import Transformer
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


def rnn(source_words, target_words, width=192, embedding_width=96, dropout=0.0,
        encoder=Encoder, model=Seq2Seq):
    """Chapter 04's model: all that the decoder knows of the source is one vector."""
    return with_dropout(model(encoder(source_words, embedding_width, width),
                              Decoder(target_words, embedding_width, width)), dropout)


def attending(source_words, target_words, width=192, embedding_width=96, dropout=0.0,
              context=None, decoder=LuongDecoder):
    """Chapter 07's model; context(width) makes what looks at the source."""
    encoder = Encoder(source_words, embedding_width, width)
    return with_dropout(
        Seq2Seq(encoder, decoder(target_words, embedding_width, width,
                                 context=context(width))), dropout)


def with_dropout(model, dropout):
    """An RNN with dropout on what it reads and on what its generator reads, not from
    step to step. Zaremba et al. 2014, section 3.1"""
    if dropout:
        for part in (model.encoder, model.decoder):
            part.embedding = nn.Sequential(part.embedding, Dropout(dropout))
        model.generator = nn.Sequential(Dropout(dropout), model.generator)
    return model


def share_encoder_decoder_embeddings(model):
    """Gives both languages of a model one table of embeddings: their words are the
    same pieces. Vaswani et al. 2017, section 3.4"""
    if isinstance(model, Transformer):
        model.encoder.embedding.table = model.decoder.embedding.table
    else:
        model.encoder.embedding = model.decoder.embedding


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
        partial(book_transformer, positional_encoding="rotary"),
        Settings(peak_rate=2e-3), "a Transformer with rotary positions"),
}


# options and settings for text that people wrote, cut into pieces: some 30,000 pairs;
# chosen on the validation split of Multi30k
REAL_RNN = ({"width": 384, "embedding_width": 192, "dropout": 0.4},
            Settings(updates=3000, batch_size=128, peak_rate=2e-3, warmup=100,
                     smoothing=0.1, interval=250))
REAL_TRANSFORMER = ({"width": 256, "hidden": 512, "heads": 8, "layers": 3,
                     "dropout": 0.3},
                    Settings(updates=4000, batch_size=128, peak_rate=2e-3, warmup=400,
                             smoothing=0.1, interval=250))


def real_text_recipe(name):
    """Options and Settings of one of the book's models for text that people wrote."""
    return REAL_TRANSFORMER if name.startswith("transformer") else REAL_RNN


@cache
def vocabs(pairs=PAIRS):
    """Vocabularies of English and of Korean, from the first pairs of the training."""
    chosen = corpus.split("train")[:pairs]
    return (Vocab(pair.words for pair in chosen),
            Vocab(pair.morphemes for pair in chosen))
