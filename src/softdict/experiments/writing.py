"""How the trained Transformer writes: wide beams, mistakes, what the cache saves."""

import time
from functools import cache

import torch

from softdict.batches import make_batch
from softdict.decoding import beam_search, normalised, without
from softdict.experiments import sentences
from softdict.experiments.runner import Experiment
from softdict.experiments.timing import milliseconds
from softdict.experiments.translation import system
from softdict.programs.translator import translator
from softdict.saving.recipes import vocabs
from softdict.scoring import bleu
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


SOURCES = (5, 10, 20, 40, 80)    # words of a source


def least(work, repeats=9):
    """Milliseconds of the processor that work() takes, at the least of some times.

    what else a machine does can only add to it
    """
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        work()
        times.append(1000 * (time.process_time() - begin))
    return min(times)


@torch.no_grad()
def apart(seed, path=None, sizes=(1, 8, 64), every=20):
    """What reading the source costs, and what a step of writing costs, each by itself.

    The question: does a step take longer in a long text, or did the reading of the
    source make short texts look slow? The measures, in milliseconds of the processor,
    by batch size: `start`, which reads a source of some words; a step, the mean of 20
    steps in a row, by how many words are written, of a source of 20 words; and a step
    by words of the source, the mean of the first 20.
    """
    model, table = writer(), {"sources": SOURCES, "written": list(range(0, 160, every))}
    rng = torch.Generator().manual_seed(seed)
    for size in sizes:
        batches = {S: torch.randint(4, len(vocabs()[0]), (size, S), generator=rng)
                   for S in SOURCES}
        lengths = {S: torch.full((size,), S) for S in SOURCES}
        table[f"batch of {size}"] = {
            "start": [least(lambda: model.start(batches[S], lengths[S]))
                      for S in SOURCES],
            "step": steps(model, batches[20], lengths[20], len(table["written"]),
                          every),
            "step by source": [steps(model, batches[S], lengths[S], 1, every)[0]
                               for S in SOURCES]}
    return table


def steps(model, source, lengths, count, every, repeats=5):
    """Milliseconds of a step: for each of `count` rows of steps, their mean.

    at the least of some texts, each written by greedy choice, without an end
    """
    texts = []
    for _ in range(repeats):
        ids, state = torch.full_like(source[:, 0], BOS), model.start(source, lengths)
        row = []
        for _ in range(count):
            begin = time.process_time()
            for _ in range(every):
                logits, state = model.step(ids, state)
                ids = logits.argmax(dim=-1)
            row.append(1000 * (time.process_time() - begin) / every)
        texts.append(row)
    return [min(column) for column in zip(*texts)]


def apart_first(seed):
    """Times differ from run to run: the five numbers are best scores behind sources."""
    model, rng = writer(), torch.Generator().manual_seed(seed)
    with torch.no_grad():
        return [model.step(torch.tensor([BOS]), model.start(
            torch.randint(4, len(vocabs()[0]), (1, S), generator=rng),
            torch.tensor([S])))[0].max().item() for S in SOURCES]


EXPERIMENTS = [Experiment("beams", "writing", beams_first, beams, seeds=(0,)),
               Experiment("prefill", "writing", apart_first, apart, seeds=(0,)),
               Experiment("cache", "writing", saved_first, saved, seeds=(0,))]
