"""The corpus as the experiments want it: what training and scoring need."""

from dataclasses import dataclass
from functools import cache

from softdict import corpus

HELD_OUT = ("iid", "long", "deep", "pairs", "role", "ambig", "register")
# parts of speech that carry meaning
CONTENT = ("NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM")


@dataclass(frozen=True)
class Example:
    """A sentence pair.

    kinds holds the part of speech of each content word of the target, else None
    """

    source: list     # English words, the tag of the register first
    target: list     # Korean morphemes
    kinds: list
    links: tuple     # sure links: (source place, target place)
    length: int      # English words without the tag
    spot: int = -1   # in the split "agree": the target place that decides
    possible: tuple = ()    # links that may be drawn, the sure ones among them


@cache
def split(name):
    """The examples of one split of the corpus."""
    return [Example(pair.words, pair.morphemes, [*map(kind, pair.target)], pair.sure,
                    pair.length, pair.spot, pair.possible)
            for pair in corpus.split(name)]


def kind(token):
    """Part of speech of a content word; None for particles, endings, determiners."""
    return (token.pos if token.role in ("head", "part") and token.pos in CONTENT
            else None)


def join(morphemes):
    """The text that people read, of morphemes that a model wrote."""
    return corpus.join(morphemes)


@cache
def pool():
    """The content words of the training split by part of speech.

    each as often as it stands there
    """
    words = {}
    for example in split("train"):
        for word, part in zip(example.target, example.kinds):
            if part is not None:
                words.setdefault(part, []).append(word)
    return words
