"""Trains one of the book's models on sentence pairs, and keeps it in a folder."""

import hashlib
import tempfile
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path

import torch

from softdict import corpus, runtime
from softdict.batches import make_batch, padded
from softdict.cache import check_pads
from softdict.decoding import greedy
from softdict.programs import distributed
from softdict.programs.flags import write_run
from softdict.programs.resume import check_folder, remove, resume
from softdict.programs.stopping import BEST, METRICS, best_in, checked_metric, evaluator
from softdict.saving.folder import (
    UNFINISHED, FolderConfig, Saved, fingerprint, save_folder)
from softdict.saving.recipes import LONGEST, RECIPES, real_text_recipe, vocabs
from softdict.scoring import bleu, chrf
from softdict.texts.files import alone
from softdict.texts.own_text import split_words
from softdict.training import TrainingState, token_loss

EVERY = 100    # updates from one checkpoint to the next
VALIDATED = 1014    # pairs, at most, of a validation loss
SCORED = 500      # and of a validation score


def corpus_data():
    """What `own_text.own_data` gives, of the book's corpus."""
    source_vocab, target_vocab = vocabs()
    training, validation = (
        [(pair.words, pair.morphemes) for pair in corpus.split(name)]
        for name in ("train", "valid"))
    return training, validation, source_vocab, target_vocab, []


@torch.no_grad()
def validation_loss(model, pairs, batch_size=100):
    """Loss per real word of pairs (source ids, target ids)."""
    device, total, words = next(model.parameters()).device, 0.0, 0
    for start in range(0, len(pairs), batch_size):
        batch = make_batch(pairs[start:start + batch_size]).to(device)
        logits = model(batch.source, batch.source_lengths, batch.target_in)
        count = sum(len(target) + 1 for _, target in pairs[start:start + batch_size])
        total += token_loss(logits, batch.target_out).item() * count
        words += count
    return total / words


@torch.no_grad()
def validation_score(saved, pairs, metric, batch_size=100):
    """BLEU or chrF, from 0 to 100, of greedy translations of pairs (words, words).

    BLEU counts words, of a model of pieces those of their text; a translation ends
    where the longest reference does, at the latest
    """
    device, hypotheses = next(saved.model.parameters()).device, []
    references = [target for _, target in pairs]
    max_length = max(map(len, references))
    for start in range(0, len(pairs), batch_size):
        rows = [saved.source_vocab.ids(source, "UNK")
                for source, _ in pairs[start:start + batch_size]]
        found = greedy(saved.model, padded(rows).to(device),
                       torch.tensor(list(map(len, rows))), max_length)
        hypotheses += map(saved.target_vocab.tokens, found)
    texts = [list(map(saved.join, side)) for side in (hypotheses, references)]
    if metric == "chrf":
        return chrf(*texts, rounds=1)[0].value
    words = [hypotheses, references] if saved.pieces is None else [
        list(map(split_words, side)) for side in texts]
    return bleu(*words, rounds=1)[0].value


def train_folder(folder, name, data, seed=0, options=None, text="corpus", dtype=None,
                 pieces=None, patience=0, metric=None, lowercase=False, flags=None,
                 **changes):
    """Trains a model and keeps it in a folder; returns what `load_folder` would.

    data is what `own_data` or `corpus_data` gave, or with `pieces` `subword_data`;
    options go to the recipe; changes are Settings other than the recipe's
    lowercase: the data is in small letters, and so is what is translated later
    patience and metric: see `stopping.evaluator`; of several processes, the first has
    the best weights
    flags: those that `write_run` keeps in the folder
    an interrupted training goes on from its last checkpoint
    raises ValueError for a folder that holds something else, or on which another
    process is at work, and TypeError for a model that could not translate as it learns
    """
    folder, (training, validation, *vocabs, _) = Path(folder), data
    check_folder(folder)
    metric = checked_metric(patience, metric)
    options, settings = options or {}, replace(RECIPES[name].settings, interval=EVERY)
    if pieces:
        usual, settings = real_text_recipe(name)
        options = usual | options
    settings = replace(settings, seed=seed, **changes)
    longest = LONGEST if text == "corpus" else max(len(pair[0]) for pair in training)
    config = FolderConfig(name, options, text, longest,
                          asdict(settings) | {"patience": patience, "metric": metric},
                          vocabulary="pieces" if pieces else "words",
                          lowercase=lowercase)
    runtime.seed(seed)
    model = config.build(*map(len, vocabs)).to(runtime.device())
    ids = [[(vocabs[0].ids(source, "UNK"), vocabs[1].ids(target, "UNK"))
            for source, target in part] for part in (training, validation)]
    check_pads(model, torch.tensor([ids[0][0][0]], device=runtime.device()))
    # other pairs with the same words are another training too
    digest = hashlib.sha256(repr(ids).encode()).hexdigest()[:16]
    state = TrainingState(model, settings, f"{fingerprint(*vocabs)} {digest}")
    folder.mkdir(parents=True, exist_ok=True)
    # refused now and not in an hour; hidden, so that `check_folder` sees no other file
    tempfile.TemporaryFile(dir=folder, prefix=".").close()
    saved = Saved(model, *vocabs, config, pieces)

    def measure(model):
        record = {"validation loss": validation_loss(model, ids[1][:VALIDATED])}
        if metric in ("bleu", "chrf"):
            record[METRICS[metric][0]] = validation_score(saved, validation[:SCORED],
                                                          metric)
        return record

    # of several processes, the first holds the folder
    with alone(folder / UNFINISHED) if distributed.first() else nullcontext():
        resume(state, folder, "pairs", "other pairs or words", metric)
        if flags and distributed.first():
            write_run(folder, flags, settings, options)
        with best_in(folder, state, metric):
            distributed.train(
                state, ids[0],
                evaluator(state, measure, metric and folder / BEST[metric], patience,
                          metric), folder / UNFINISHED)
        model.eval()
        if distributed.first():
            save_folder(folder, saved, state.history, dtype)
            remove(folder, UNFINISHED, *BEST.values())
    return saved
