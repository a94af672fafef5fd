"""The book's models as translators: a sentence that you type, a training by name."""

import difflib
import hashlib
import re
import tempfile
from contextlib import nullcontext
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

import torch

from softdict import corpus, distributed, runtime
from softdict.batches import make_batch
from softdict.checkpoint import load_model, save_model
from softdict.decoding import translation_weights
from softdict.files import alone
from softdict.folder import (
    UNFINISHED, Config, Saved, fingerprint, load_folder, save_folder)
from softdict.recipes import LONGEST, RECIPES, real
from softdict.recipes import vocabs as counted_vocabs
from softdict.resume import BEST, check_folder, resume
from softdict.training import Training, token_loss

# the trained Transformer, made by
# python -m softdict train --model transformer --half --out DIR
CARRIED = runtime.ASSETS / "transformer"
EVERY = 100    # updates from one checkpoint to the next
CHECKED = 1014    # pairs, at most, of a validation loss


@cache
def carried():
    """The trained Transformer that comes with the package, with its vocabularies."""
    return load_folder(CARRIED, runtime.device())


def translator():
    """The trained Transformer that comes with the package, ready to translate."""
    return load_folder(CARRIED, runtime.device()).model


@cache
def vocabs():
    """The vocabularies of English and Korean that the book's models know."""
    saved = carried()
    return saved.source_vocab, saved.target_vocab


def words_of(text, register="polite"):
    """The words of an English sentence as the corpus writes them.

    the tag of the register comes first, names get their capital
    a word that the training split has not is refused by name, with words that are
    spelled like it
    """
    known = vocabs()[0]
    typed = re.findall(r"[^\W\d_]+|,|\d+", text)
    if not typed:
        raise ValueError("the sentence is empty: there is nothing to translate")
    words = [next((form for form in (word, word.lower(), word.capitalize())
                   if form in known), word) for word in typed]
    strange = []
    for word in dict.fromkeys(word for word in words if word not in known):
        near = difflib.get_close_matches(word.lower(), known.words, 3)
        strange.append(repr(word) + (f" (it knows {', '.join(near)})" if near else ""))
    if strange:
        raise ValueError(f"the corpus has {len(known)} English words, and not "
                         f"{', '.join(strange)}")
    return [f"<{register}>", *words]


def looks(model, sentence, translation):
    """Where a model looks while it writes each word of a translation: weights [T, S].

    sentence and translation are lists of words of the corpus
    """
    return translation_weights(model, sentence, translation, *vocabs())


def attended(saved, words, written):
    """`looks` for any trained model: weights [T, S]; words may be unknown."""
    return translation_weights(saved.model, saved.known(words), written,
                               saved.source_vocab, saved.target_vocab)


def untrained(name, seed=0):
    """One of the book's models before its training, and the fingerprint of its
    words."""
    if name not in RECIPES:
        raise ValueError(f"the book has no model {name!r}; it has {', '.join(RECIPES)}")
    runtime.seed(seed)
    model = RECIPES[name].build(*map(len, vocabs())).to(runtime.device())
    return model, fingerprint(*vocabs())


# Training


def corpus_data():
    """What `own_text.own_data` gives, of the book's corpus."""
    source_vocab, target_vocab = counted_vocabs()
    training, checked = ([(pair.words, pair.morphemes) for pair in corpus.split(name)]
                         for name in ("train", "valid"))
    return training, checked, source_vocab, target_vocab, []


@torch.no_grad()
def validation_loss(model, pairs, size=100):
    """Loss per real word of pairs (source ids, target ids)."""
    device, total, words = next(model.parameters()).device, 0.0, 0
    for start in range(0, len(pairs), size):
        batch = make_batch(pairs[start:start + size]).to(device)
        logits = model(batch.source, batch.source_lengths, batch.target_in)
        count = sum(len(target) + 1 for _, target in pairs[start:start + size])
        total += token_loss(logits, batch.target_out).item() * count
        words += count
    return total / words


class Enough(Exception):
    """A training that has found nothing better for too long."""


def evaluator(state, pairs, path, patience):
    """What `train` evaluates with: the validation loss; early stopping.

    the best weights so far are kept at `path`; it raises Enough where the last
    `patience` evaluations found none; 0 keeps nothing and never stops
    """
    def evaluate(model):
        loss = distributed.agreed(validation_loss(model, pairs))
        losses = [record["validation loss"] for record in state.history
                  if "validation loss" in record] + [loss]
        since = len(losses) - 1 - losses.index(min(losses))
        if patience and not since and distributed.first():
            save_model(model, path, state.vocabulary)
        if patience and since >= patience:
            state.history[-1]["validation loss"] = loss
            raise Enough
        return {"validation loss": loss}

    return evaluate


def train_folder(folder, name, data, seed=0, options=None, text="corpus", dtype=None,
                 pieces=None, patience=0, lowercase=False, **changes):
    """Trains a model and keeps it in a folder; returns what `load_folder` would.

    data is what `own_data` or `corpus_data` gave, or with `pieces` `pieces_data`;
    options go to the recipe; changes are Settings other than the recipe's
    lowercase: the data is in small letters, and so is what is translated later
    patience: see `evaluator`; of several processes, the first has the best weights
    an interrupted training goes on from its last checkpoint
    raises ValueError for a folder that holds something else, or on which another
    process is at work
    """
    folder, (training, checked, *vocabs, _) = Path(folder), data
    check_folder(folder)
    options, settings = options or {}, replace(RECIPES[name].settings, every=EVERY)
    if pieces:
        usual, settings = real(name)
        options = usual | options
    settings = replace(settings, seed=seed, **changes)
    longest = LONGEST if text == "corpus" else max(len(pair[0]) for pair in training)
    config = Config(name, options, text, longest,
                    asdict(settings) | {"patience": patience},
                    vocabulary="pieces" if pieces else "words", lowercase=lowercase)
    runtime.seed(seed)
    model = config.build(*map(len, vocabs)).to(runtime.device())
    ids = [[(vocabs[0].ids(source, "UNK"), vocabs[1].ids(target, "UNK"))
            for source, target in part] for part in (training, checked)]
    # other pairs with the same words are another training too
    digest = hashlib.sha256(repr(ids).encode()).hexdigest()[:16]
    state = Training(model, settings, f"{fingerprint(*vocabs)} {digest}")
    folder.mkdir(parents=True, exist_ok=True)
    # refused now and not in an hour; hidden, so that `check_folder` sees no other file
    tempfile.TemporaryFile(dir=folder, prefix=".").close()
    # of several processes, the first holds the folder
    with alone(folder / UNFINISHED) if distributed.first() else nullcontext():
        resume(state, folder, "pairs", "other pairs or words", best=patience > 0)
        try:
            distributed.train(state, ids[0], evaluator(
                state, ids[1][:CHECKED], folder / BEST, patience), folder / UNFINISHED)
        except Enough:
            pass
        saved = Saved(model.eval(), *vocabs, config, pieces)
        if distributed.first():
            if patience:
                load_model(model, folder / BEST, state.vocabulary)
            save_folder(folder, saved, state.history, dtype)
            for file in (UNFINISHED, BEST):
                (folder / file).unlink(missing_ok=True)
    return saved
