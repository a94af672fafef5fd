"""The book's translation as one stack: what a softmax layer among three memories buys.

Asked before these runs. `hybrids` asked it of nothing but recall; here source, BOS and
target are one row, which a causal stack of four layers reads: the decoder-only models
of `today`. Four layers are the fewest in which every fourth can have softmax attention,
as in the published hybrids. The kinds are those of `hybrids`. (1) Do four memories
translate short sentences as well as four softmax layers, after equal updates? (2) What
does one softmax layer buy, and does it matter whether it is last or first, as it did in
"once"? (3) Which kind loses most on sentences a little longer than all that were
trained? The measure is the loss on `valid` after the last update, and for (3) how much
higher it is on its longer sentences. One kind is called better than another only where
each of its three seeds lies below each of the other's; else the answer is "not told
apart". BLEU and exact translations of new sentences stand beside, and decide nothing.
Where the loss on `valid` still fell from update 560 to 640, all at the peak rate, the
stack was still learning, and the answer is one about 800 updates of 32 rows.

All kinds get the same rows in the same batches, the schedule, dropout and sizes of
`today-4-rotary`, and nearly as many parameters. Softmax layers have its rotary
positions, as Qwen3-Next has; a memory has none, and the order is in its writing alone.
It has no convolution either, which published ones have. The peak rate is that of
`today`, 0.002, or twice that, whichever gives "softmax" and "memory" with seed 0 the
smaller sum of losses on `valid`; it serves all kinds. (It was 0.002. "memory" alone
has the smaller loss with 0.004, and with it still a larger one than "softmax".)
"""

from dataclasses import dataclass, replace
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

from softdict import runtime
from softdict.decoder_only import DecoderOnly
from softdict.experiments import sentences, today
from softdict.experiments.hybrids import KINDS, Memory, StackCache
from softdict.experiments.measures import quality
from softdict.experiments.today import DecoderOnlySystem, size_of, watched
from softdict.experiments.translation import rated
from softdict.masks import causal_mask
from softdict.training import Settings, TrainingState
from softdict.vocab import EOS

SETTINGS = Settings(updates=800, batch_size=32, peak_rate=2e-3, interval=80)
LONGEST = 12            # words of the longest sentence that is trained
LONGER = 16
WORDS = (40, 400)       # lengths of rows of which the cache is counted


class StackText(DecoderOnly):
    """A decoder-only model in which a memory takes the place of some attentions."""

    def __init__(self, config, kind):
        super().__init__(config)
        for number, layer in enumerate(self.layers):
            if number not in KINDS[kind]:
                layer.attention = Memory(config)
        self.initialise()

    def start(self):
        """A cache without a word: what a layer keeps is its own."""
        return StackCache(len(self.layers))


class OneRow(nn.Module):
    """A stack that reads source, BOS and target as one row, with all pads behind it.

    so nothing has to be hidden from a memory, which reads every word
    """

    def __init__(self, config, kind):
        super().__init__()
        self.model = StackText(config, kind)
        self.generator = self.model.generator

    def states(self, source, source_lengths, target_in):
        """States [B, T, D] that score the target's words, and none of the source's.

        source [B, S], source_lengths [B], target_in [B, T]
        """
        size = source.shape[1] + target_in.shape[1]
        places = torch.arange(target_in.shape[1], device=source.device)    # [T]
        places = source_lengths.to(source.device)[:, None] + places        # [B, T]
        ids = F.pad(source, (0, target_in.shape[1]))                       # [B, S+T]
        ids = ids.scatter(1, places, target_in)                            # [B, S+T]
        x = self.model.states(ids, torch.arange(size, device=ids.device),
                              causal_mask(size, ids.device))               # [B, S+T, D]
        return x.take_along_dim(places[..., None], dim=1)                  # [B, T, D]


def between(split, shortest, longest):
    """The examples of a split with so many English words."""
    return [example for example in sentences.split(split)
            if shortest <= example.length <= longest]


@dataclass(frozen=True)
class StackSystem(DecoderOnlySystem):
    """One kind of stack, trained on short sentences; what is measured of it."""

    def start(self, seed):
        """An untrained model in training, and its pairs."""
        runtime.seed(seed)
        model = self.build().to(runtime.device())
        return (TrainingState(model, replace(self.settings, seed=seed),
                              today.vocabulary().fingerprint()),
                self.ids(between("train", 1, LONGEST)))

    def valid_loss(self, model):
        """Mean loss of a target word of short sentences of the split `valid`."""
        return {"loss on valid": self.mean_loss(model, between("valid", 1, LONGEST))}

    def translate(self, model, examples, size=128):
        """Greedy translations; only texts of one length are written together."""
        groups, lines = {}, {}
        for number, example in enumerate(examples):
            groups.setdefault(len(example.source), []).append(number)
        for group in groups.values():
            chosen = [examples[number] for number in group]
            lines |= zip(group, super().translate(model, chosen, size))
        return [lines[number] for number in range(len(examples))]

    @torch.no_grad()
    def cache_bytes(self, model):
        """Bytes of a row's cache, by its words: keys, values and states."""
        table = {}
        for words in WORDS:
            ids = torch.full((1, words), EOS, device=next(model.parameters()).device)
            kept = model.model.start()
            model.model(ids, cache=kept)
            table[str(words)] = sum(map(size_of, filter(None, kept.past))) + size_of(
                kept.states.values())
        return table

    def finish(self, state):
        """What is measured of a trained model."""
        model, table = state.model, {}
        for name, sizes in (("4-8", (4, 8)), ("9-12", (9, LONGEST)),
                            ("13-16", (LONGEST + 1, LONGER))):
            examples = between("iid", *sizes)
            table[name] = quality(examples, self.translate(model, examples))
        return {"parameters": sum(part.numel() for part in model.parameters()),
                "cache bytes": self.cache_bytes(model),
                "loss on longer": self.mean_loss(
                    model, between("valid", LONGEST + 1, LONGER)),
                "by length": table}


def build(kind):
    """One kind, untrained."""
    return OneRow(today.config("4-rotary"), kind)


SYSTEMS = {kind: StackSystem(partial(build, kind), SETTINGS) for kind in KINDS}

EXPERIMENTS = [
    *[watched(f"hybrids-translation-{kind.replace(' ', '-')}", one, one.finish,
              group="hybrids") for kind, one in SYSTEMS.items()],
    *[watched(f"hybrids-translation-rate-{kind}-4", rated(SYSTEMS[kind], 4e-3),
              lambda _: {}, (0,), "hybrids") for kind in ("softmax", "memory")]]
