"""How the trained Transformer writes: what a wider beam finds, whose the mistakes are, what the cache saves."""

from functools import cache

import torch

from softdict.batches import make_batch
from softdict.decoding import beam_search, normalised, without
from softdict.experiments import sentences
from softdict.experiments.frame import Experiment
from softdict.experiments.memory import milliseconds
from softdict.experiments.translation import BOOK, vocabs
from softdict.runtime import device
from softdict.scoring import bleu
from softdict.translator import translator
from softdict.vocab import BOS, PAD

BEAMS = (1, 2, 5, 10, 20)
POWER = 0.6
LENGTHS = (10, 20, 40, 80, 160)


writer = cache(translator)    # the trained Transformer that comes with the package, loaded once


def batch_of(examples):
    """One batch of the examples, where the model is."""
    return make_batch(BOOK.ids(examples)).to(device())


# Beams

@torch.no_grad()
def right_scores(model, batch):
    """The score that a search would give the right translations [B], by one pass over each."""
    logits = model(batch.source, batch.source_lengths, batch.target_in)                               # [B, T, V]
    logs = without(logits, PAD, BOS).log_softmax(dim=-1)                                              # [B, T, V]
    real = batch.target_out != PAD                                                                    # [B, T]
    told = logs.gather(-1, batch.target_out[..., None])[..., 0].masked_fill(~real, 0.0).sum(dim=-1)   # [B]
    return [normalised(total, length, POWER) for total, length in zip(told.tolist(), real.sum(dim=-1).tolist())]


def searched(model, examples, size, at_once=50):
    """The best translation that a beam finds for each example, and the score of the right one."""
    order, pairs = sorted(range(len(examples)), key=lambda n: len(examples[n].target)), {}
    for start in range(0, len(order), at_once):
        group = order[start:start + at_once]
        batch = batch_of([examples[n] for n in group])
        found = beam_search(model, batch.source, batch.source_lengths, size, POWER)
        pairs |= zip(group, zip((best[0] for best in found), right_scores(model, batch)))
    return [pairs[n] for n in range(len(examples))]


def beams(seed, path=None):
    """By beam size, on sentences as in training and on longer ones: BLEU, length, and whose the mistakes are.

    a mistake is the search's if the model scores the right translation above the one found, and else the model's
    """
    model, words, table = writer(), vocabs(BOOK.pairs)[1], {"beams": BEAMS, "power": POWER}
    for name in ("iid", "long"):
        examples, narrow = sentences.split(name), None
        rows = []
        for size in BEAMS:
            found = searched(model, examples, size)
            narrow = narrow or found
            lines = [words.tokens(best.ids) for best, _ in found]
            right = [line == example.target for line, example in zip(lines, examples)]
            missed = [told > best.score + 1e-4 for best, told in found]
            rows.append({
                "bleu": bleu(lines, [example.target for example in examples])[0].value,
                "pieces": sum(map(len, lines)) / sum(len(example.target) for example in examples),
                "right": sum(right), "search errors": sum(missed),
                "model errors": sum(not r and not m for r, m in zip(right, missed)),
                "scored above greedy": sum(a.score > b.score + 1e-4 for (a, _), (b, _) in zip(found, narrow))})
        table[name] = {"sentences": len(examples), **{key: [row[key] for row in rows] for key in rows[0]}}
    return table


def beams_first(seed):
    """The scores of five translations."""
    return [best.score for best, _ in searched(writer(), sentences.split("iid")[:5], 5)]


# The cache

@torch.no_grad()
def rerun(model, batch, steps):
    """Scores of the last of `steps` words, each of which is written by reading all before it anew; returns [B, V]."""
    states, allowed, _ = model.encoder(batch.source, batch.source_lengths)
    ids = torch.full_like(batch.source[:, :1], BOS)    # [B, 1]
    for _ in range(steps):
        read, _, _ = model.decoder(ids, model.decoder.start(states, allowed))
        logits = model.generator(read[:, -1])    # [B, V]
        ids = torch.cat([ids, logits.argmax(dim=-1, keepdim=True)], dim=-1)
    return logits


@torch.no_grad()
def cached(model, batch, steps):
    """The same scores, with keys and values kept."""
    words, state = torch.full_like(batch.source[:, 0], BOS), model.start(batch.source, batch.source_lengths)
    for _ in range(steps):
        logits, state = model.step(words, state)
        words = logits.argmax(dim=-1)    # [B]
    return logits


def saved(seed, path=None):
    """Milliseconds to write texts of some lengths, by batch size, with the cache and without."""
    model, examples = writer(), sentences.split("iid")
    table = {"lengths": LENGTHS}
    for size in (1, 8, 64):
        batch = batch_of(examples[:size])
        table[f"batch of {size}"] = {
            name: [milliseconds(lambda: write(model, batch, steps), 3) for steps in LENGTHS]
            for name, write in (("cached", cached), ("rerun", rerun))}
    return table


def saved_first(seed):
    """Times differ from run to run: the five numbers are best scores without a cache, which must be those with one."""
    model, batch = writer(), batch_of(sentences.split("iid")[:8])
    torch.testing.assert_close(rerun(model, batch, 5), cached(model, batch, 5), atol=1e-4, rtol=1e-4)
    return [rerun(model, batch, steps).max().item() for steps in range(1, 6)]


EXPERIMENTS = [Experiment("beams", "writing", beams_first, beams, seeds=(0,)),
               Experiment("cache", "writing", saved_first, saved, seeds=(0,))]
