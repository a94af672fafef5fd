"""From the Transformer of 2017 to a model of today: seven models, a change at a time.

All translate the book's corpus and make the same updates by one schedule. Its peak is
tried against the others in RATES, on `valid`, with the control and with the first
decoder-only model. Such a model reads the source words, BOS and the target words as one
text, of one vocabulary, and its loss counts the target words alone, with EOS.
"""

import random
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import torch
from torch import nn

from softdict import corpus, runtime
from softdict.batches import epoch_batches
from softdict.decoder_only import DecoderOnly, DecoderOnlyConfig, generate
from softdict.decoding import without
from softdict.experiments import sentences
from softdict.experiments.measures import report, translations
from softdict.experiments.runner import SEEDS, Experiment
from softdict.experiments.translation import System, rated
from softdict.masks import causal_mask, padding_mask
from softdict.saving.recipes import PAIRS, RECIPES
from softdict.training import Settings, TrainingState, batch_loss, train, update
from softdict.vocab import BOS, EOS, PAD, Vocab

SETTINGS = Settings(updates=1000, peak_rate=2e-3, interval=100)
RATES = (1, 2, 4)    # peak rates that were tried, in thousandths
# GPT-2's parts, and about as many weights as the control has
GPT2 = {"width": 128, "heads": 4, "kv_heads": 4, "layers": 4, "hidden": 624,
        "context_length": 160, "dropout": 0.1}
# what a model has beside the changes of those before it; now Llama's, but tied
CHANGES = {"1-decoder-only": {},
           "2-rms-norm": {"norm": "rms"},
           # a third matrix, two thirds as wide: Shazeer 2020, section 3
           "3-swiglu": {"feed_forward": "swiglu", "hidden": 416},
           "4-rotary": {"positions": "rotary"},
           "5-grouped": {"kv_heads": 2},
           "6-no-biases": {"bias": False}}


@cache
def vocabulary():
    """One vocabulary of both languages, from the pairs of the training."""
    chosen = corpus.split("train")[:PAIRS]
    return Vocab([*(pair.words for pair in chosen),
                  *(pair.morphemes for pair in chosen)])


def config(name):
    """The DecoderOnlyConfig of a model: its change and all before it."""
    parts, names = dict(GPT2), list(CHANGES)
    for changed in names[:names.index(name) + 1]:
        parts |= CHANGES[changed]
    return DecoderOnlyConfig(len(vocabulary()), **parts)


class OneText(nn.Module):
    """A decoder-only model that reads a source and its target as one text."""

    def __init__(self, config):
        super().__init__()
        self.model = DecoderOnly(config)
        self.generator = self.model.generator

    def states(self, source, source_lengths, target_in):
        """States [B, T, D] that score the target's words, and none of the source's.

        source [B, S], source_lengths [B], target_in [B, T]
        pads between the two are hidden, and no position counts them
        """
        size = source.shape[1]
        words = padding_mask(source_lengths.to(source.device), size)       # [B, S]
        real = torch.cat([words, target_in != PAD], dim=1)                 # [B, S+T]
        ids = torch.cat([source, target_in], dim=1)                        # [B, S+T]
        positions = (real.cumsum(dim=1) - 1).clamp(min=0)                  # [B, S+T]
        causal = causal_mask(ids.shape[1], ids.device)                     # [S+T, S+T]
        allowed = causal & real[:, None, :]                          # [B, S+T, S+T]
        return self.model.states(ids, positions, allowed)[:, size:]        # [B, T, D]


class Both(System):
    """The control: the book's encoder-decoder, and what is measured of all seven."""

    def translate(self, model, examples):
        """Greedy translations: a list of morphemes for each example."""
        return translations(self, model, examples)

    @torch.no_grad()
    def cache_bytes(self, model):
        """Bytes that a cache holds for a source word and for a target word.

        counted in the caches of 7 source words and 5 target words
        """
        source = torch.full((1, 7), EOS, device=next(model.parameters()).device)
        kept = model.start(source, torch.tensor([7]))
        for _ in range(5):
            _, kept = model.step(source[:, 0], kept)
        return {"source": size_of(kept.memory) / 7, "target": size_of(kept.past) / 5}

    def valid_loss(self, model):
        """Mean loss of a target word of the split `valid`."""
        return {"loss on valid": self.mean_loss(model, sentences.split("valid"))}

    @torch.no_grad()
    def mean_loss(self, model, examples):
        """Mean loss of a target word of these examples."""
        total = words = 0
        for batch in epoch_batches(self.ids(examples), 100, 0, 0):
            batch = batch.to(next(model.parameters()).device)
            count = (batch.target_out != PAD).sum().item()
            total += batch_loss(model, batch, self.settings).item() * count
            words += count
        return total / words

    def finish(self, state):
        """What is measured of a trained model."""
        model = state.model
        return {"parameters": sum(part.numel() for part in model.parameters()),
                "cache bytes a word": self.cache_bytes(model),
                **report(partial(self.translate, model))}


class DecoderOnlySystem(Both):
    """A model that reads and writes one text; build() gives it untrained."""

    def ids(self, examples):
        """Source and target ids of each example, of one vocabulary."""
        return [(vocabulary().ids(example.source, "UNK"),
                 vocabulary().ids(example.target, "UNK")) for example in examples]

    def start(self, seed):
        """An untrained model in training, and its pairs."""
        runtime.seed(seed)
        model = self.build().to(runtime.device())
        return (TrainingState(model, replace(self.settings, seed=seed),
                              vocabulary().fingerprint()),
                self.ids(sentences.split("train")[:self.pairs]))

    def translate(self, model, examples, size=128):
        """Greedy translations; texts of similar length are written together."""
        texts = [[*source, BOS] for source, _ in self.ids(examples)]
        order = sorted(range(len(texts)), key=lambda n: -len(texts[n]))
        lines = {}
        for start in range(0, len(order), size):
            group = order[start:start + size]
            lines |= zip(group, generate(
                model.model, [texts[n] for n in group], eos_ids=(EOS,),
                choose=lambda logits: without(logits, PAD, BOS).argmax(dim=-1)))
        return [vocabulary().tokens(lines[n]) for n in range(len(texts))]

    @torch.no_grad()
    def cache_bytes(self, model):
        """As the control's: every word of the text is kept alike."""
        ids = torch.full((1, 5), EOS, device=next(model.parameters()).device)
        kept = model.model.start()
        model.model(ids, cache=kept)
        return dict.fromkeys(("source", "target"), size_of(kept.past) / 5)


def size_of(pairs):
    """Bytes of keys and values."""
    return sum(part.numel() * part.element_size() for pair in pairs for part in pair)


SYSTEMS = {"today-0-both": Both(RECIPES["transformer"].build, SETTINGS),
           **{f"today-{name}": DecoderOnlySystem(
               lambda name=name: OneText(config(name)), SETTINGS) for name in CHANGES}}


def watched(name, one, finish: Callable, seeds=SEEDS, group="today"):
    """A training that stores its loss on `valid` on the way, and finish(state)."""
    def first(seed):
        state, pairs = one.start(seed)
        state.settings = replace(state.settings, updates=5)
        return [record["loss"] for record in train(state, pairs)]

    def result(seed, path):
        state, pairs = one.start(seed)
        history = train(state, pairs, one.valid_loss, path)
        state.model.eval()
        seen = [step for step, record in enumerate(history, start=1)
                if "loss on valid" in record]
        return {"history": history, "updates": seen,
                "loss on valid": [history[step - 1]["loss on valid"] for step in seen],
                **finish(state)}

    return Experiment(name, group, first, result, seeds)


# Seconds

def paces(seed, count):
    """CPU seconds of each of `count` updates, by model, behind one that does not count.

    all make an update on the same pairs in turn, in an order drawn for each
    """
    states, batches, rng = {}, {}, random.Random(seed)
    for name, one in SYSTEMS.items():
        states[name], pairs = one.start(seed)
        states[name].model.train()
        batches[name] = epoch_batches(pairs, one.settings.batch_size, seed, 0)
    seconds = {name: [] for name in SYSTEMS}
    for number in range(count + 1):
        for name in rng.sample(list(SYSTEMS), len(SYSTEMS)):
            state = states[name]
            batch = batches[name][number].to(state.device)
            begin = time.process_time()
            state.history.append(update(state, batch))
            seconds[name].append(time.process_time() - begin)
    return states, {name: row[1:] for name, row in seconds.items()}


def pace(seed, path=None, count=24):
    """CPU seconds of an update, by model: all, and their median."""
    _, seconds = paces(seed, count)
    return {"updates": count, "seconds": seconds,
            "median": {name: statistics.median(row) for name, row in seconds.items()}}


def pace_first(seed):
    """Seconds differ from run to run: the numbers are the first losses of five models.
    """
    states, _ = paces(seed, 0)
    return [state.history[0]["loss"] for state in states.values()][:5]


EXPERIMENTS = [
    *[watched(name, one, one.finish) for name, one in SYSTEMS.items()],
    *[watched(f"today-rate-{name}-{rate}", rated(one, rate / 1000), lambda _: {}, (0,))
      for name, one in (("both", SYSTEMS["today-0-both"]),
                        ("decoder-only", SYSTEMS["today-1-decoder-only"]))
      for rate in RATES if rate / 1000 != SETTINGS.peak_rate],
    Experiment("today-pace", "today", pace_first, pace, seeds=(0,))]
