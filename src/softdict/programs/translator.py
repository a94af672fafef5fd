"""The trained Transformer that comes with the package, and what it is asked."""

import difflib
import re
from functools import cache
from unicodedata import category

from softdict import runtime
from softdict.decoding import translation_weights
from softdict.saving.folder import fingerprint, load_folder
from softdict.saving.recipes import RECIPES

# the trained Transformer, made by
# python -m softdict train --model transformer --half --out DIR
BUNDLED = runtime.ASSETS / "transformer"
# punctuation that is kept, or left out without a word: commas, apostrophes and hyphens
# inside words, one sign at the end
QUIET = r",|(?<=[^\W\d_])['’‐‑-](?=[^\W\d_])|(?<![.?!])[.?!]\s*$"


@cache
def bundled():
    """The trained Transformer that comes with the package, with its vocabularies."""
    return load_folder(BUNDLED, runtime.device())


def translator():
    """The trained Transformer that comes with the package, ready to translate."""
    return load_folder(BUNDLED, runtime.device()).model


@cache
def vocabs():
    """The vocabularies of English and Korean that the book's models know."""
    saved = bundled()
    return saved.source_vocab, saved.target_vocab


def words_of(text, register="polite"):
    """The words of an English sentence as the corpus writes them.

    the tag of the register comes first, names get their capital, "didn't" is "did not"
    raises ValueError for a word or sign that the training split has not: it is named,
    with words that are spelled like it; punctuation aside from commas is left out, and
    `left_out` names it
    """
    known = vocabs()[0]
    text = re.sub(r"n['’]t\b", " not", text)
    plain = "".join(letter if letter in ",'’" or category(letter)[0] != "P" else " "
                    for letter in text)
    typed = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)*|,|\d+|[^\w\s,'’]+", plain)
    if not typed:
        raise ValueError("the sentence is empty: there is nothing to translate")
    words = [next((form for form in (word, word.lower(), word.capitalize())
                   if form in known), word) for word in typed]
    strange = []
    for word in dict.fromkeys(word for word in words if word not in known):
        near = difflib.get_close_matches(word.lower(), known.words, 3)
        strange.append(repr(word) + (f" (it knows {', '.join(near)})" if near else ""))
    if strange:
        raise ValueError(not_known(strange))
    return [f"<{register}>", *words]


def left_out(text):
    """The signs of a sentence that `words_of` leaves out, each once, but for those that
    need no word."""
    return list(dict.fromkeys(sign for sign in re.sub(QUIET, " ", text)
                              if category(sign)[0] == "P"))


def not_known(names):
    """The sentence that names words or signs which the corpus has not."""
    count = sum(word[0].isalpha() for word in vocabs()[0].words)
    return f"the corpus has {count} English words, and not {', '.join(names)}"


def attention_map(model, sentence, translation):
    """Where a model looks while it writes each word of a translation: weights [T, S].

    sentence and translation are lists of words of the corpus
    """
    return translation_weights(model, sentence, translation, *vocabs())


def saved_attention_map(saved, words, written):
    """`attention_map` for any trained model: weights [T, S]; words may be unknown."""
    return translation_weights(saved.model, saved.known(words), written,
                               saved.source_vocab, saved.target_vocab)


def untrained(name, seed=0):
    """One of the book's models before its training, and the fingerprint of its words.

    raises ValueError for a name that the book does not have
    """
    if name not in RECIPES:
        raise ValueError(f"the book has no model {name!r}; it has {', '.join(RECIPES)}")
    runtime.seed(seed)
    model = RECIPES[name].build(*map(len, vocabs())).to(runtime.device())
    return model, fingerprint(*vocabs())
