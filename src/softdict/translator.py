"""The book's translator for a sentence that you type: trained on first use, kept in a file."""

import difflib
import re
from functools import cache
from pathlib import Path

from torch import nn

from softdict import corpus, runtime
from softdict.attention import Additive
from softdict.checkpoint import load_model
from softdict.seq2seq import Attend, Encoder, LuongDecoder, Seq2Seq
from softdict.training import Settings, Training, train
from softdict.vocab import Vocab

PAIRS, UPDATES, EVERY = 20_000, 2000, 100
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


def translator(path):
    """The trained model; it is trained first, about three minutes on a CPU, if there is no file at `path`.

    an interrupted training goes on from its last whole hundred of updates
    """
    path = Path(path)
    source_vocab, target_vocab = vocabs()
    fingerprint = f"{source_vocab.fingerprint()} {target_vocab.fingerprint()}"
    runtime.seed(0)
    look = Attend(Additive(192, 192), keys=nn.Linear(192, 192, bias=False))
    model = Seq2Seq(Encoder(len(source_vocab)), LuongDecoder(len(target_vocab), context=look)).to(runtime.device())
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(path.name + ".unfinished")
        settings = Settings(updates=UPDATES, peak_rate=2e-3, every=EVERY)
        pairs = [(source_vocab.ids(pair.words), target_vocab.ids(pair.morphemes))
                 for pair in corpus.split("train")[:PAIRS]]
        train(Training(model, settings, fingerprint), pairs, path=unfinished)
        unfinished.rename(path)
    load_model(model, path, fingerprint)
    return model.eval()
