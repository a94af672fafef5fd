"""The KV cache of a decoder: keys and values are computed once and kept."""

import copy

import torch
import torch.nn.functional as F
from torch import nn

from softdict.layers import attend_of, exchanged
from softdict.vocab import BOS, PAD

WORDS = 48    # compared: windows and convolutions that reach so far are rare


class DecoderCache:
    """A translation under way: keys and values of the source and of the words so far.

    memory and past hold a pair (key, value) for each layer: for cross-attention of the
    source [B, H, S, K], for self-attention of the words so far [N, H, P, K]
    memory_allowed [B, 1, S] is True where the source has words
    N is B, or a multiple of it: the first N / B translations are of the first source
    a pair of `past` may be None where there is no word yet, memory_allowed where there
    is no source
    """

    def __init__(self, memory, memory_allowed, past):
        self.memory, self.memory_allowed, self.past = memory, memory_allowed, past

    @property
    def length(self):
        """How many words are there so far."""
        return self.past[0][0].shape[-2] if self.past[0] else 0

    def copy(self):
        """A cache that can grow while this one stays as it is; no number is copied."""
        return DecoderCache(self.memory, self.memory_allowed, list(self.past))

    def append(self, layer, key, value):
        """Puts keys and values of new words behind those of a layer; returns all.

        key and value [N, H, T, K]; returns both for the words so far and the new ones
        """
        if self.past[layer]:
            keys, values = self.past[layer]
            key, value = torch.cat([keys, key], -2), torch.cat([values, value], -2)
        self.past[layer] = key, value
        return key, value

    def reorder(self, chosen):
        """A new cache with the translations `chosen` [M] among the N, in that order.

        a source stays in its place if equally many translations of each source are
        chosen, source by source, as a beam search does; else it is copied
        """
        # index_select(0, chosen) is [chosen], in less time
        past = [pair and tuple(part.index_select(0, chosen) for part in pair)
                for pair in self.past]
        if self.memory_allowed is None:    # no source is asked
            return DecoderCache(self.memory, None, past)
        count = len(self.memory_allowed)
        rows = len(self.past[0][0]) if self.past[0] else count                  # N
        sources = chosen // (rows // count)                                     # [M]
        share, rest = divmod(len(chosen), count)
        places = torch.arange(count, device=chosen.device).repeat_interleave(share)
        if not rest and torch.equal(sources, places):
            return DecoderCache(self.memory, self.memory_allowed, past)
        memory = [(key[sources], value[sources]) for key, value in self.memory]
        return DecoderCache(memory, self.memory_allowed[sources], past)

    def check(self, length):
        """Refuses by TypeError a layer that has not put its new words into the cache.

        it would attend to the newest words alone, and nobody would see it
        """
        for number, pair in enumerate(self.past):
            if not pair or pair[0].shape[-2] != length:
                found = pair[0].shape[-2] if pair else 0
                raise TypeError(
                    f"layer {number} keeps keys of {found} words where there are "
                    f"{length}: its attention must get them from the cache")


def check_attentions(layer):
    """Refuses by TypeError a layer with an attention whose keys no cache would keep."""
    ours = "self_attention", "cross_attention"
    names = {name for name, part in layer.named_modules()
             if hasattr(part, "keys_and_values")}
    if names != set(ours):
        raise TypeError(
            f"a cache needs a layer with {' and '.join(ours)}, and no other attention; "
            f"{type(layer).__name__} has {', '.join(sorted(names)) or 'none'}")


def foreign(model):
    """Which parts of a model are from outside of softdict and torch, a list.

    a function that its attentions attend with is a part, too
    """
    modules = [model]
    for part in modules:    # as model.modules() finds them, in a fifth of the time
        if part._modules:
            modules += filter(None, part._modules.values())
    parts = [(part, type(part)) for part in modules]
    parts += [(attend, getattr(attend, "func", attend))
              for attend in map(attend_of, modules) if attend is not None]
    # what is built into Python tells no module
    return [part for part, home in parts if not (
        getattr(home, "__module__", None) or "").startswith(("softdict.", "torch."))]


def strict(table, given):
    """IndexError for a row that a table has not: a GPU would end the program."""
    for ids in given:
        if ids.numel() and ids.max() >= table.num_embeddings:
            raise IndexError(f"a table has {table.num_embeddings} rows")


def disturb(model):
    """Adds noise to every weight that trains: what starts at zero hides what it does.

    nobody's random numbers are used up
    """
    draws = torch.Generator().manual_seed(0)
    for part in model.parameters():
        if part.requires_grad:
            noise = torch.randn(part.shape, generator=draws).to(part)
            part += noise / max(10, part.shape[-1:].numel() ** 0.5)
    for part in model.modules():
        if isinstance(part, nn.Embedding) and part.padding_idx is not None:
            part.weight[part.padding_idx] = 0    # no training moves it


def check_same(model, compute, problem):
    """Refuses by TypeError, with a problem, a model that computes two different things.

    compute(model, count) returns two tensors that must be the same, made of `count`
    words; of fewer, where the model has no positions for so many
    it is asked once, and only of a model with parts from outside of this package: with
    the weights that it has, and with noise on them
    """
    parts = foreign(model)
    if not parts or getattr(model, "compared", None) == parts:
        return
    twin = copy.deepcopy(model).eval().float()
    twin.compared = foreign(twin)
    for part in twin.modules():
        if isinstance(part, nn.Embedding):
            part.register_forward_pre_hook(strict)

    def fitting(count):
        try:
            return compute(twin, count)
        except (AssertionError, IndexError, RuntimeError, ValueError):
            if count == 1:
                raise
        return fitting(count // 2)

    with torch.no_grad():
        for change in (lambda model: None, disturb):
            change(twin)
            one, other = fitting(WORDS)
            # the root of a disturbed weight may be no number: of both
            if not torch.allclose(one, other, rtol=1e-3, atol=1e-4, equal_nan=True):
                raise TypeError(problem)
    model.compared = parts    # themselves, and not their ids, which Python uses again


def check_steps(model, compute):
    """Refuses by TypeError a model that computes another thing word by word.

    with a convolution, a window or positions of a layer's own, words meet where no
    cache sees it: such a model would train as one and decode as another
    compute(model, count) returns x [1, T, D] twice: at once, and word by word from a
    cache
    """
    check_same(model, compute, (
        "word by word this model computes another thing than at once: its words "
        "meet elsewhere than in the attentions that a cache serves, as in a "
        "convolution, a window or positions of a layer's own"))


def check_pads(model, source):
    """Refuses by TypeError a translator that reads a sentence otherwise beside pads.

    with a convolution in the encoder it would mean another thing in every batch
    its steps are compared, too: see `check_steps`
    a function that attends may do as it likes: whoever writes one tries out masks
    source [B, S]: the first sentence is tried, with pads behind it and without
    """
    def both_ways(model, count):
        ids = source[:1, source[0] != PAD][:, :count]    # [1, S]
        length = torch.tensor([ids.shape[1]])            # [1]
        target = torch.full_like(ids[:, :1], BOS)        # [1, 1]
        model.start(ids, length)
        return [model.states(read, length, target)
                for read in (ids, F.pad(ids, (0, count), value=PAD))]

    if any(isinstance(part, nn.Module) for part in foreign(model)):
        check_same(model, both_ways, (
            "pads behind a sentence change what this model makes of it: its words meet "
            "elsewhere than in attentions that hide pads, as in a convolution; such a "
            "part must set pads to 0 before it mixes words"))


def check_decoder(decoder, memory, memory_allowed):
    """Refuses by TypeError a decoder that no cache can serve.

    memory [B, S, D], memory_allowed [B, 1, S]: a source to compare steps with
    """
    if not foreign(decoder):    # the layers of this package are tried by its tests
        return
    for layer in decoder.layers:
        check_attentions(layer)
    memory, memory_allowed = memory[:1].float(), memory_allowed[:1]

    def both_ways(decoder, count):
        ids = torch.arange(count, device=memory.device)
        ids = ids % decoder.embedding.table.num_embeddings
        cache, steps = decoder.start(memory, memory_allowed), []
        for word in ids:
            x, cache = decoder.step(word[None], cache)
            steps.append(x)
        return decoder(ids[None], memory, memory_allowed), torch.stack(steps, dim=1)

    check_steps(decoder, both_ways)


def with_cache(layer, cache, number):
    """A decoder layer for new words; its attentions have their keys from a cache.

    the wiring is the layer's own `forward`, the weights are the same tensors: only
    the results of `keys_and_values` are others, and the causal mask is left out
    x [N, 1, D] is all that it needs; number is the layer's place in the cache
    so no other part may mix the vectors of different words; see `check_steps`
    """
    own, cross = layer.self_attention, layer.cross_attention
    past = exchanged(own, keys_and_values=lambda x: cache.append(
        number, *own.keys_and_values(x)))
    kept = exchanged(cross, keys_and_values=lambda source: cache.memory[number])

    def ask_together(x, source=None, allowed=None):
        # translations of one source ask it together, as rows of one query
        sources = cache.memory_allowed.shape[0]    # not len: ONNX makes it constant
        if x.shape[0] == sources:
            return kept(x, source, allowed)
        rows = x.reshape(sources, -1, x.shape[-1])    # [B, R, D]
        return kept(rows, source, allowed).view_as(x)

    cached = exchanged(layer, self_attention=past, cross_attention=ask_together)

    def forward(x, memory, allowed=None, memory_allowed=None):
        return cached(x, memory, None, memory_allowed)    # there is no future to hide

    return forward
