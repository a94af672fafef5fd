"""How the trained Transformer writes: wide beams, mistakes, what the cache saves."""

from functools import cache

import torch

from softdict.batches import make_batch
from softdict.decoding import beam_search, normalised, without
from softdict.experiments import sentences
from softdict.experiments.runner import Experiment
from softdict.experiments.timing import milliseconds
from softdict.experiments.translation import system
from softdict.recipes import vocabs
from softdict.scoring import bleu
from softdict.translator import translator
from softdict.vocab import BOS, PAD

BEAMS = (1, 2, 5, 10, 20)
LENGTH_PENALTY = 0.6
LENGTHS = (10, 20, 40, 80, 160)


# the trained Transformer that comes with the package, loaded once
writer = cache(translator)


def batch_of(examples):
    """One batch of the examples, where the model is."""
    batch = make_batch(system("transformer").ids(examples))
    return batch.to(next(writer().parameters()).device)


# Beams

@torch.no_grad()
def right_scores(model, batch):
    """The score that a search would give each right translation: B numbers."""
    logits = model(batch.source, batch.source_lengths, batch.target_in)    # [B, T, V]
    logs = without(logits, PAD, BOS).log_softmax(dim=-1)                   # [B, T, V]
    real = batch.target_out != PAD                                         # [B, T]
    told = logs.gather(-1, batch.target_out[..., None])[..., 0]            # [B, T]
    totals = told.masked_fill(~real, 0.0).sum(dim=-1)                      # [B]
    return [normalised(total, length, LENGTH_PENALTY)
            for total, length in zip(totals.tolist(), real.sum(dim=-1).tolist())]


def searched(model, examples, beam_size, at_once=50):
    """For each example the best translation of a beam, and the right one's score."""
    order = sorted(range(len(examples)), key=lambda n: len(examples[n].target))
    pairs = {}
    for start in range(0, len(order), at_once):
        group = order[start:start + at_once]
        batch = batch_of([examples[n] for n in group])
        found = beam_search(model, batch.source, batch.source_lengths, beam_size,
                            LENGTH_PENALTY)
        pairs |= zip(group,
                     zip((best[0] for best in found), right_scores(model, batch)))
    return [pairs[n] for n in range(len(examples))]


def beams(seed, path=None):
    """By beam size: BLEU, length, and whose the mistakes are.

    on sentences as in training and on longer ones
    a mistake is the search's if the model scores the right translation above the one
    found, and else the model's
    """
    model, words = writer(), vocabs()[1]
    table = {"beams": BEAMS, "power": LENGTH_PENALTY}
    for name in ("iid", "long"):
        examples, narrow = sentences.split(name), None
        references = [example.target for example in examples]
        rows = []
        for beam_size in BEAMS:
            found = searched(model, examples, beam_size)
            narrow = narrow or found
            lines = [words.tokens(best.ids) for best, _ in found]
            right = [line == reference for line, reference in zip(lines, references)]
            missed = [told > best.score + 1e-4 for best, told in found]
            rows.append({
                "bleu": bleu(lines, references)[0].value,
                "pieces": sum(map(len, lines)) / sum(map(len, references)),
                "right": sum(right), "search errors": sum(missed),
                "model errors": sum(not r and not m for r, m in zip(right, missed)),
                "scored above greedy": sum(a.score > b.score + 1e-4
                                           for (a, _), (b, _) in zip(found, narrow))})
        table[name] = {"sentences": len(examples),
                       **{key: [row[key] for row in rows] for key in rows[0]}}
    return table


def beams_first(seed):
    """The scores of five translations."""
    return [best.score for best, _ in searched(writer(), sentences.split("iid")[:5], 5)]


# The cache

@torch.no_grad()
def rerun(model, batch, steps):
    """Scores [B, V] of the last of `steps` words, without a cache.

    each word is written by reading all before it anew
    """
    encoded = model.encode(batch.source, batch.source_lengths)
    ids = torch.full_like(batch.source[:, :1], BOS)    # [B, 1]
    for _ in range(steps):
        x = model.decoder(ids, *encoded)
        logits = model.generator(x[:, -1])             # [B, V]
        ids = torch.cat([ids, logits.argmax(dim=-1, keepdim=True)], dim=-1)
    return logits


@torch.no_grad()
def cached(model, batch, steps):
    """The same scores [B, V], with keys and values kept."""
    ids = torch.full_like(batch.source[:, 0], BOS)    # [B]
    state = model.start(batch.source, batch.source_lengths)
    for _ in range(steps):
        logits, state = model.step(ids, state)
        ids = logits.argmax(dim=-1)                   # [B]
    return logits


def saved(seed, path=None):
    """Milliseconds to write texts of some lengths, by batch size, with a cache or not.
    """
    model, examples = writer(), sentences.split("iid")
    table = {"lengths": LENGTHS}
    for size in (1, 8, 64):
        batch = batch_of(examples[:size])
        table[f"batch of {size}"] = {
            name: [milliseconds(lambda: write(model, batch, steps), 3)
                   for steps in LENGTHS]
            for name, write in (("cached", cached), ("rerun", rerun))}
    return table


def saved_first(seed):
    """Times differ from run to run: the five numbers are best scores without a cache.

    they must be those with one
    """
    model, batch = writer(), batch_of(sentences.split("iid")[:8])
    torch.testing.assert_close(rerun(model, batch, 5), cached(model, batch, 5),
                               atol=1e-4, rtol=1e-4)
    return [rerun(model, batch, steps).max().item() for steps in range(1, 6)]


EXPERIMENTS = [Experiment("beams", "writing", beams_first, beams, seeds=(0,)),
               Experiment("cache", "writing", saved_first, saved, seeds=(0,))]
