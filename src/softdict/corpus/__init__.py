"""The embedded English-Korean corpus: a made fragment of two languages, drawn from one
grammar, with gold links.

    from softdict import corpus
    pairs = corpus.split("iid")
    pairs[0].words, pairs[0].morphemes, pairs[0].sure
"""

from softdict.corpus.hangul import romanise
from softdict.corpus.morphology import join
from softdict.corpus.pairs import Pair, Token
from softdict.corpus.reading import gloss
from softdict.corpus.splits import BINS, LONG, SPLITS, split, text

__all__ = ["BINS", "LONG", "SPLITS", "Pair", "Token", "gloss", "join", "romanise",
           "split", "text"]
