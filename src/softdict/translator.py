"""The book's models as translators: a sentence that you type, a training by name, the trained Transformer."""

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import torch
from torch import nn

from softdict import corpus, runtime
from softdict.attention import Additive, General, scaled_dot
from softdict.checkpoint import load_model, save_model
from softdict.decoding import translation_weights
from softdict.lookup import dot
from softdict.seq2seq import Attend, Decoder, Encoder, LuongDecoder, Seq2Seq
from softdict.training import Settings, Training, train
from softdict.transformer import Transformer, all_weights, book_transformer
from softdict.vocab import BOS, Vocab

PAIRS, EVERY = 20_000, 100
LONGEST = 24    # words in the longest sentence of the training split


@cache
def vocabs():
    """The vocabularies of English and Korean."""
    pairs = corpus.split("train")[:PAIRS]
    return Vocab(pair.words for pair in pairs), Vocab(pair.morphemes for pair in pairs)


def words_of(text, register="polite"):
    """The words of an English sentence as the corpus writes them: the tag of the register first, names with a capital.

    a word that the training split has not is refused by name, with words that are spelled like it
    """
    known = vocabs()[0]
    typed = re.findall(r"[^\W\d_]+|,|\d+", text)
    if not typed:
        raise ValueError("the sentence is empty: there is nothing to translate")
    words = [next((form for form in (word, word.lower(), word.capitalize()) if form in known), word) for word in typed]
    strange = []
    for word in dict.fromkeys(word for word in words if word not in known):
        near = difflib.get_close_matches(word.lower(), known.words, 3)
        strange.append(repr(word) + (f" (it knows {', '.join(near)})" if near else ""))
    if strange:
        raise ValueError(f"the corpus has {len(known)} English words, and not {', '.join(strange)}")
    return [f"<{register}>", *words]


@torch.no_grad()
def looks(model, sentence, translation):
    """Where a model looks while it writes each word of a translation; of a Transformer the mean over layers and heads.

    sentence and translation are lists of words; returns weights [T, S]
    """
    if not isinstance(model, Transformer):
        return translation_weights(model, sentence, translation, *vocabs())
    source_vocab, target_vocab = vocabs()
    device = next(model.parameters()).device
    source = torch.tensor([source_vocab.ids(sentence)], device=device)                             # [1, S]
    target_in = torch.tensor([[BOS, *target_vocab.ids(translation)[:-1]]], device=device)          # [1, T]
    maps = all_weights(model, source, torch.tensor([len(sentence)]), target_in)[2]
    return torch.stack(maps).mean(dim=(0, 2))[0]                                                   # [T, S]


@dataclass(frozen=True)
class Recipe:
    """How one of the book's models is made: build(source words, target words) gives it untrained."""

    build: Callable
    settings: Settings


def looking(score, key_width=None):
    """Builds chapter 07's model with a score: score() makes it; keys of another width are made of the states."""
    def build(source_words, target_words):
        keys = nn.Linear(192, key_width, bias=False) if key_width else None
        return Seq2Seq(Encoder(source_words), LuongDecoder(target_words, context=Attend(score(), keys)))

    return build


RECIPES = {
    "rnn": Recipe(lambda s, t: Seq2Seq(Encoder(s), Decoder(t)), Settings(peak_rate=6e-3)),
    "attention-dot": Recipe(looking(lambda: dot), Settings(peak_rate=2e-3)),
    "attention-scaled": Recipe(looking(lambda: scaled_dot), Settings(peak_rate=4e-3)),
    "attention-general": Recipe(looking(lambda: General(192, 192)), Settings(peak_rate=2e-3)),
    "attention-additive": Recipe(looking(lambda: Additive(192, 192), 192), Settings(peak_rate=2e-3)),
    "transformer": Recipe(book_transformer, Settings(peak_rate=2e-3)),
    "transformer-rotary": Recipe(partial(book_transformer, positions="rotary"), Settings(peak_rate=2e-3)),
}


def untrained(name, seed=0):
    """One of the book's models before its training, on the fastest device, and the fingerprint of its words."""
    if name not in RECIPES:
        raise ValueError(f"the book has no model {name!r}; it has {', '.join(RECIPES)}")
    source_vocab, target_vocab = vocabs()
    runtime.seed(seed)
    model = RECIPES[name].build(len(source_vocab), len(target_vocab)).to(runtime.device())
    return model, f"{source_vocab.fingerprint()} {target_vocab.fingerprint()}"


def train_translator(name, path, seed=0, **changes):
    """Trains one of the book's models and keeps it at `path`; changes are Settings other than the recipe's.

    an interrupted training goes on from its last whole hundred of updates; returns the model
    """
    model, fingerprint = untrained(name, seed)
    settings = replace(RECIPES[name].settings, every=EVERY, seed=seed, **changes)
    source_vocab, target_vocab = vocabs()
    pairs = [(source_vocab.ids(pair.words), target_vocab.ids(pair.morphemes))
             for pair in corpus.split("train")[:PAIRS]]
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".unfinished")
    train(Training(model, settings, fingerprint), pairs, path=unfinished)
    save_model(model, path, fingerprint)
    unfinished.unlink()
    return model.eval()


def translator(name="transformer", path=None):
    """One of the book's models, trained: from a file that `train_translator` wrote, or the one in the package."""
    model, fingerprint = untrained(name)
    if path is None:
        if name != "transformer":
            raise ValueError(f"the package carries the trained Transformer alone; train {name!r} first")
        path = runtime.ASSETS / "transformer.safetensors"
    load_model(model, path, fingerprint)
    return model.eval()
