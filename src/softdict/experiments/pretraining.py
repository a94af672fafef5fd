"""Translation with few pairs, from nothing and from parts that have read much text.

One model reads the English text both ways and fills in masked words, one reads the
Korean text forwards; parts of both begin a Transformer's training on the first pairs of
`train`. All conditions of a size make the same updates at the same peak rate, which is
the best of RATES for the control on `valid`. The vocabularies know the words of the
two texts and the tags of the register: nothing is taken from a test, or from the pairs.
"""

from dataclasses import replace
from functools import cache
from math import log

import torch

from softdict import corpus, runtime
from softdict.batches import make_batch, padded
from softdict.decoding import greedy
from softdict.experiments import sentences
from softdict.experiments.measures import quality
from softdict.experiments.runner import Experiment
from softdict.masks import causal_mask
from softdict.pretraining import (
    TextModel, copy_parts, mask_words, masked_update, next_word_update,
    perplexity, with_mask, token_losses)
from softdict.training import Settings, TrainingState, batch_loss, train
from softdict.transformer import TransformerConfig, make_transformer
from softdict.vocab import EOS, PAD, UNK, Vocab

TAGS = ["<plain>", "<polite>", "<formal>"]    # of the register: no text has them
CONFIG = TransformerConfig(width=96, heads=4, layers=2, hidden=384)
TEXT = Settings(updates=1500, peak_rate=2e-3, warmup=100, interval=250)
# the training on so many pairs; 2e-3 was the best of RATES for each of TUNED
BY_PAIRS = {count: Settings(updates=updates, peak_rate=2e-3, batch_size=32, warmup=50,
                            interval=updates // 5)
            for count, updates in ((100, 300), (500, 400), (2000, 800), (20_000, 800))}
TUNED = (100, 500, 2000)
RATES = (1, 2, 4)    # peak rates that were tried, in thousandths
CONDITIONS = {"nothing": (), "encoder": ("encoder",), "decoder": ("decoder",),
              "both": ("encoder", "decoder")}
ENOUGH = 20_000    # pairs for which the two ends of CONDITIONS must do
LONGER = 2400      # updates, thrice those of BY_PAIRS
SHORT = 2000       # sentences of the text with a leak: each is read 47 times


@cache
def vocabularies():
    """The words of both languages, from the text of each; English has MASK, too."""
    return (with_mask(Vocab([*corpus.text("mono-en"), TAGS])),
            Vocab(corpus.text("mono-ko")))


def ids(examples):
    """Source and target ids of each example; unknown words are UNK."""
    english, korean = vocabularies()
    return [(english.ids(example.source, "UNK"), korean.ids(example.target, "UNK"))
            for example in examples]


def batches(pairs, size=100):
    """All pairs in their order, in batches."""
    return [make_batch(pairs[start:start + size])
            for start in range(0, len(pairs), size)]


# Text alone


@torch.no_grad()
def guesses(model):
    """Loss of the masked words of `valid`, the same in each call, and the share of them
    that is guessed right."""
    rng, total, right, words = torch.Generator().manual_seed(0), 0.0, 0, 0
    english = vocabularies()[0]
    pairs = [(source[1:], target) for source, target in ids(sentences.split("valid"))]
    for batch in batches(pairs):
        masked, target = mask_words(batch.source, len(english) - 1, rng)
        chosen = target != PAD
        logits = model(masked, (masked != PAD)[:, None, :])[chosen]
        right += (logits.argmax(dim=-1) == target[chosen]).sum().item()
        total += token_losses(logits, target[chosen]).sum().item()
        words += chosen.sum().item()
    return {"loss on valid": total / words, "right": right / words}


@torch.no_grad()
def surprises(model, name):
    """Losses [N] of every Korean word of a split, and which of them [N] are EOS."""
    losses, ends = [], []
    for batch in batches(ids(sentences.split(name))):
        real = batch.target_out != PAD
        logits = model(batch.target_in, causal_mask(batch.target_in.shape[1]))
        losses.append(token_losses(logits, batch.target_out)[real])
        ends.append(batch.target_out[real] == EOS)
    return torch.cat(losses), torch.cat(ends)


def korean_loss(model):
    """Mean loss of a Korean word of `valid`, EOS among them."""
    return {"loss on valid": surprises(model, "valid")[0].mean().item()}


def perplexities(model, name):
    """Perplexity of a split with and without EOS, and bits a letter of its text."""
    losses, ends = surprises(model, name)
    letters = sum(len(sentences.join(one.target)) for one in sentences.split(name))
    return {"with EOS": perplexity(losses, losses >= 0),
            "without EOS": perplexity(losses, ~ends),
            "bits a letter": losses.sum().item() / log(2) / letters}


def start(part, text, seed):
    """An untrained TextModel in training, and its texts as pairs."""
    vocab = vocabularies()[part == "decoder"]
    runtime.seed(seed)
    return (TrainingState(TextModel(len(vocab), CONFIG), replace(TEXT, seed=seed)),
            [(words, words) for words in (vocab.ids(line, "UNK") for line in text)])


def pretrained(part, text, seed):
    """A TextModel that has read a text, and its losses on `valid` on the way."""
    state, pairs = start(part, text, seed)
    update, evaluate = ((masked_update, guesses) if part == "encoder"
                        else (next_word_update, korean_loss))
    history = train(state, pairs, evaluate, update=update)
    state.model.eval()
    return state.model, watched(history)


def watched(history):
    """Losses on `valid` of a history, and the numbers of their updates."""
    seen = [step for step, record in enumerate(history, 1) if "loss on valid" in record]
    return {"updates": seen,
            "loss on valid": [history[step - 1]["loss on valid"] for step in seen]}


# Translation


@torch.no_grad()
def loss_on_valid(model):
    """Mean loss of a Korean word of `valid`, EOS among them, given its English."""
    total = words = 0
    for batch in batches(ids(sentences.split("valid"))):
        count = (batch.target_out != PAD).sum().item()
        total += batch_loss(model, batch, TEXT).item() * count
        words += count
    return {"loss on valid": total / words}


def translations(model, examples, size=100):
    """Greedy translations: a list of morphemes for each example."""
    sources = [source for source, _ in ids(examples)]
    order = sorted(range(len(sources)), key=lambda number: len(sources[number]))
    lines = {}
    for begin in range(0, len(order), size):
        chosen = order[begin:begin + size]
        rows = [sources[number] for number in chosen]
        found = greedy(model, padded(rows), torch.tensor(list(map(len, rows))),
                       max_length=60)
        lines |= zip(chosen, map(vocabularies()[1].tokens, found))
    return [lines[number] for number in range(len(sources))]


def few_pairs(count, parts, seed, **settings):
    """A Transformer in training, begun with the parts (names and TextModels) that are
    given, and the first pairs of `train`."""
    english, korean = vocabularies()
    runtime.seed(seed)    # what is new is the same in all conditions
    model = make_transformer(len(english), len(korean), CONFIG)
    copy_parts(model, **parts)
    return (TrainingState(model, replace(BY_PAIRS[count], seed=seed, **settings)),
            ids(sentences.split("train")[:count]))


def translated(count, parts, seed, name="iid", **settings):
    """What a training on few pairs gives: losses on `valid`, quality on a split."""
    state, pairs = few_pairs(count, parts, seed, **settings)
    table = watched(train(state, pairs, loss_on_valid))
    state.model.eval()
    examples = sentences.split(name)
    return {**table, name: quality(examples, translations(state.model, examples))}


# What is stored


def overlap():
    """How many sentences of the splits stand in the texts, or have an unknown word."""
    english, korean = ({tuple(line) for line in corpus.text(name)}
                       for name in ("mono-en", "mono-ko"))
    seen = {}
    for name in ("iid", "valid", "train"):
        examples = sentences.split(name)
        unknown = sum(UNK in source + target for source, target in ids(examples))
        seen[name] = {"english": sum(tuple(one.source[1:]) in english
                                     for one in examples),
                      "korean": sum(tuple(one.target) in korean for one in examples),
                      "unknown": unknown}
    return {"sentences": len(corpus.text("mono-ko")), "of the text": seen}


def conditions(count):
    """The names of CONDITIONS that are tried with so many pairs."""
    return ("nothing", "both") if count == ENOUGH else tuple(CONDITIONS)


def both(seed):
    """The two TextModels of a seed, and their losses on `valid` on the way."""
    read = {part: pretrained(part, corpus.text(text), seed)
            for part, text in (("encoder", "mono-en"), ("decoder", "mono-ko"))}
    return ({part: model for part, (model, _) in read.items()},
            {part: losses for part, (_, losses) in read.items()})


def result(seed, path=None):
    """Both pretrainings of a seed, and translations from each choice of their parts."""
    models, losses = both(seed)
    return {
        "text": overlap(),
        "encoder": {**losses["encoder"], "right": guesses(models["encoder"])["right"]},
        "decoder": {**losses["decoder"], "perplexity": {
            name: perplexities(models["decoder"], name) for name in ("valid", "iid")}},
        "translation": {str(count): {
            name: translated(
                count, {part: models[part] for part in CONDITIONS[name]}, seed)
            for name in conditions(count)} for count in BY_PAIRS}}


def longer(seed, path=None):
    """Translations after thrice the updates, from each choice of the parts."""
    models, _ = both(seed)
    return {str(count): {
        name: translated(count, {part: models[part] for part in CONDITIONS[name]}, seed,
                         updates=LONGER, interval=LONGER // 10)
        for name in conditions(count)} for count in (2000, ENOUGH)}


def short_texts():
    """Two Korean texts of SHORT sentences: an honest one, and one of which the Korean
    side of `iid` is a part."""
    test = [example.target for example in sentences.split("iid")]
    honest = corpus.text("mono-ko")[:SHORT]
    return {"honest": honest, "leaked": [*test, *honest[len(test):]]}


def leak(seed, path=None):
    """Losses and perplexities of a language model that has read the test, and of one
    that has not."""
    table = {}
    for name, text in short_texts().items():
        model, losses = pretrained("decoder", text, seed)
        table[name] = {"sentences": len(text), **losses, "perplexity": {
            split: perplexities(model, split) for split in ("valid", "iid")}}
    return table


def first(seed):
    """Losses of the first two updates of each pretraining, and of one on pairs."""
    losses = []
    for part, text, update in (("encoder", "mono-en", masked_update),
                               ("decoder", "mono-ko", next_word_update)):
        state, pairs = start(part, corpus.text(text), seed)
        state.settings = replace(state.settings, updates=2)
        losses += [record["loss"] for record in train(state, pairs, update=update)]
    state, pairs = few_pairs(500, {"decoder": state.model}, seed, updates=1)
    return losses + [record["loss"] for record in train(state, pairs)]


def leak_first(seed):
    """Losses of the first five updates with the test in the text."""
    state, pairs = start("decoder", short_texts()["leaked"], seed)
    state.settings = replace(state.settings, updates=5)
    history = train(state, pairs, update=next_word_update)
    return [record["loss"] for record in history]


def rate(count, thousandths):
    """An Experiment of one seed: the control at a peak rate, scored on `valid`."""
    settings = {"peak_rate": thousandths / 1000}

    def five(seed):
        state, pairs = few_pairs(count, {}, seed, updates=5, **settings)
        return [record["loss"] for record in train(state, pairs)]

    return Experiment(
        f"pretraining-rate-{count}-{thousandths}", "low-resource", five,
        lambda seed, path: translated(count, {}, seed, "valid", **settings), (0,))


EXPERIMENTS = [
    Experiment("pretraining", "low-resource", first, result, range(5)),
    Experiment("pretraining-longer", "low-resource", first, longer),
    Experiment("pretraining-leak", "low-resource", leak_first, leak),
    *[rate(count, thousandths) for count in TUNED for thousandths in RATES]]
