"""Stacks of four layers: what one softmax layer among three memories buys.

Asked before these runs. Alone, the gated delta rule loses pairs that it has no room
for, and softmax attention cannot tell which of two equal keys came last (`recall`). (1)
Does a stack with one softmax layer recall what a stack of memories loses? (2) Does it
know the last value, as a stack of memories does? (3) Does a stack of four softmax
layers know it too? The measure of all three: right answers of 100 with 64 pairs, in
"once" and in "twice", each seed beside the others; the curves of the losses say whether
a stack was still learning. Updates and schedule are those of `recall`, and so are the
rows up to 64 pairs. The rate 0.01 was chosen on rows of "once" up to 128 pairs, with
seed 0: with 0.003 "softmax" and "memory" recalled less, and with 0.001 nothing.

In "softmax" all four layers have softmax attention, in "memory" none, and in "hybrid"
the last one, as in Qwen3-Next (every fourth). There are no positions: the order of the
words is in the causal mask and in the writing, as in Kimi Linear.

Asked when the first of these had ended: do "memory" and "hybrid", whose losses were
still falling, learn "twice" in three times as many updates ("hybrids-longer", one
seed)? And does it matter which layer has softmax attention ("softmax first")?
"""

from functools import partial
from itertools import islice

import torch
import torch.nn.functional as F
from torch import nn

from softdict import runtime
from softdict.cache import DecoderCache
from softdict.decoder_only import DecoderOnlyConfig, Layer
from softdict.experiments.recall import KEYS, VALUES, losses, right_answers
from softdict.experiments.runner import Experiment
from softdict.heads import merge_heads, split_heads
from softdict.layers import LayerNorm
from softdict.linear_attention import gated_delta_block, in_blocks
from softdict.masks import causal_mask

PAIR_COUNTS = (4, 8, 16, 32, 64)
TASKS = ("once", "twice")
# which of the layers 0 to 3 have softmax attention
KINDS = {"softmax": (0, 1, 2, 3), "memory": (), "hybrid": (3,), "softmax first": (0,)}


class StackCache(DecoderCache):
    """Keys and values of the layers with softmax attention, states of the others."""

    length = 0    # words so far

    def __init__(self, layers):
        super().__init__([], None, [None] * layers)
        self.states = {}    # of each memory, by its layer

    def check(self, length):
        """Takes note of how many words there are: every layer has read them."""
        self.length = length


class Memory(nn.Module):
    """The gated delta rule in the place of a layer's `GroupedAttention`.

    its matrices are the same; two small layers more give strengths and gates
    of the words so far it keeps one state, in a StackCache
    """

    def __init__(self, config):
        super().__init__()
        self.heads, width = config.heads, config.width
        self.query, self.key, self.value, self.out = (
            nn.Linear(width, width, bias=config.bias) for _ in range(4))
        self.strength, self.gate = (nn.Linear(width, config.heads) for _ in range(2))

    def forward(self, x, angles, allowed, cache=None, layer=0):
        """x [B, T, D]; returns x [B, T, D]; softmax attention needs the angles and what
        is allowed."""
        query, key, value = (split_heads(part(x), self.heads)
                             for part in (self.query, self.key, self.value))
        strength, gate = (split_heads(part(x), self.heads)
                          for part in (self.strength, self.gate))
        states = cache.states if isinstance(cache, StackCache) else {}
        answers, states[layer] = in_blocks(
            gated_delta_block, 32, query, F.normalize(key, dim=-1), value,
            strength.sigmoid(), (gate + 4).sigmoid(),    # gates are nearly open
            state=states.get(layer))
        return self.out(merge_heads(answers))                      # [B, T, D]


class Stack(nn.Module):
    """As `recall.Recaller`, in four layers: the pairs are words, then the keys asked.
    """

    def __init__(self, kind, width=32):
        super().__init__()
        config = DecoderOnlyConfig(KEYS, width, heads=1, kv_heads=1, hidden=2 * width)
        self.key = nn.Embedding(KEYS + 1, width)
        self.value = nn.Embedding(VALUES + 2, width)    # the last one says "asked"
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        for number, layer in enumerate(self.layers):
            if number not in KINDS[kind]:
                layer.attention = Memory(config)
        self.norm = LayerNorm(width)
        self.generator = nn.Linear(width, VALUES + 1)

    def forward(self, keys, values, asked):
        """keys [B, P], values [B, P], asked [B, Q]; returns logits [B, Q, V]."""
        asks = torch.full_like(asked, VALUES + 1)    # [B, Q]
        x = (self.key(torch.cat([keys, asked], dim=1))
             + self.value(torch.cat([values, asks], dim=1)))       # [B, T, D]
        allowed = causal_mask(x.shape[1], x.device)                # [T, T]
        for layer in self.layers:
            x = layer(x, None, allowed)                            # [B, T, D]
        return self.generator(self.norm(x[:, keys.shape[1]:]))


def trained(task, kind, seed, updates=600, rate=1e-2):
    """A stack and the generator of its losses; all kinds get the same rows."""
    runtime.seed(seed)
    model = Stack(kind)
    runtime.seed(seed + 1000)
    return model, losses(model, task, updates, rate, PAIR_COUNTS)


def first(task, seed, path=None, kind="hybrid", updates=600):
    """The first five losses of one kind."""
    return list(islice(trained(task, kind, seed, updates)[1], 5))


def recalled(task, seed, path=None, kinds=("softmax", "memory", "hybrid"),
             updates=600, rate=1e-2):
    """By kind: parameters, losses, and right answers by number of pairs."""
    table = {"pairs": PAIR_COUNTS, "updates": updates, "rate": rate}
    for kind in kinds:
        model, curve = trained(task, kind, seed, updates, rate)
        curve = list(curve)
        runtime.seed(seed + 2000)
        table[kind] = {
            "parameters": sum(part.numel() for part in model.parameters()),
            "loss": [sum(curve[n:n + 50]) / 50 for n in range(0, updates, 50)],
            **right_answers(model, task, PAIR_COUNTS)}
    return table


EXPERIMENTS = [
    *[Experiment(f"hybrids-{task}", "hybrids", partial(first, task),
                 partial(recalled, task)) for task in TASKS],
    *[Experiment(f"hybrids-first-{task}", "hybrids",
                 partial(first, task, kind="softmax first"),
                 partial(recalled, task, kinds=("softmax first",))) for task in TASKS],
    Experiment("hybrids-longer", "hybrids", partial(first, "twice", updates=1800),
               partial(recalled, "twice", kinds=("memory", "hybrid"), updates=1800),
               seeds=(0,))]
