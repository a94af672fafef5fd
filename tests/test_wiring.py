"""Every layer says its wiring once: what `forward` does, a cached step does too.

The classes are found by looking: a new one of the package is compared without a word
in this file.
"""

import importlib
import inspect
import pkgutil
from dataclasses import replace
from functools import partial

import pytest
import torch
from machines import (
    B, D, H, K, S, SIZES, T, follows, knows_nothing_it_should_not, pairs_of_ids)
from torch import nn

import softdict
from softdict import decoder_only
from softdict.attention import sdpa
from softdict.cache import check_pads, foreign
from softdict.decoder_only import DecoderOnly
from softdict.experiments.hybrids import Memory
from softdict.heads import MultiHeadAttention, split_heads
from softdict.layers import LayerNorm
from softdict.masks import causal_mask, padding_mask
from softdict.programs.pair_trainer import train_folder
from softdict.saving.recipes import RECIPES, Recipe, rnn
from softdict.seq2seq import Encoder
from softdict.training import Settings
from softdict.transformer import (
    DecoderLayer, Embedding, EncoderLayer, Transformer, TransformerConfig,
    TransformerDecoder, TransformerEncoder, all_weights, recorded_weights)
from softdict.variants import (
    BOOK, LearnedEmbedding, UnplacedEmbedding, book_transformer)
from softdict.vocab import Vocab

TEXT = {"vocab_size": 30, "width": D, "heads": H, "kv_heads": 1, "layers": 2,
        "hidden": 20, "context_length": 12, "positions": "rotary"}


def classes(kin, *names):
    """Classes of the package that are of a kind, or whose forward begins with arguments
    of these names."""
    found = {}
    for info in pkgutil.walk_packages(softdict.__path__, "softdict."):
        if info.name.endswith("__main__"):
            continue
        for kind in vars(importlib.import_module(info.name)).values():
            if inspect.isclass(kind) and issubclass(kind, nn.Module) \
                    and kind.__module__.startswith("softdict"):
                given = [*inspect.signature(kind.forward).parameters][1:]
                if issubclass(kind, kin) or given[:len(names)] == list(names):
                    found[kind.__qualname__] = kind
    return found


# Layers that this file adds: what somebody may want to try next


class ParallelLayer(DecoderLayer):
    """Attention and feed-forward read the same norm: Wang and Komatsuzaki 2021."""

    def forward(self, x, memory, allowed=None, memory_allowed=None):
        read = self.norm1(x)
        x = x + self.self_attention(read, allowed=allowed) + self.feed_forward(read)
        return x + self.cross_attention(self.norm2(x), memory, memory_allowed)


class GroupedHeads(MultiHeadAttention):
    """Heads that share their keys and values in groups: Ainslie et al. 2023."""

    def __init__(self, width, heads, attend=sdpa, groups=1):
        super().__init__(width, heads, attend)
        self.groups, shared = groups, width // heads * groups
        self.key, self.value = nn.Linear(width, shared), nn.Linear(width, shared)

    def keys_and_values(self, source):
        return tuple(split_heads(make(source), self.groups)
                     for make in (self.key, self.value))

    def attend_to(self, x, key, value, allowed=None):
        each = self.heads // self.groups
        return super().attend_to(x, key.repeat_interleave(each, 1),
                                 value.repeat_interleave(each, 1), allowed)


class GroupedCrossLayer(DecoderLayer):
    """Grouped heads in cross-attention alone: the two caches differ in shape."""

    def __init__(self, config):
        super().__init__(config)
        self.cross_attention = GroupedHeads(config.width, config.heads, config.attend)


class GroupedSelfLayer(DecoderLayer):
    def __init__(self, config):
        super().__init__(config)
        self.self_attention = GroupedHeads(config.width, config.heads, config.attend)


class DistanceBias(nn.Module):
    """Attention with a learned number for each head and distance, added to the scores.

    Raffel et al. 2020, section 2.1
    """

    def __init__(self, heads, far=4):
        super().__init__()
        self.bias = nn.Parameter(torch.linspace(-1, 1, heads * far).view(heads, far))

    def forward(self, query, key, value, allowed=None):
        T, S = query.shape[-2], key.shape[-2]
        distance = torch.arange(S - T, S)[:, None] - torch.arange(S)    # [T, S]
        scores = query @ key.mT / query.shape[-1] ** 0.5                # [B, H, T, S]
        scores = scores + self.bias[:, distance.abs().clamp(max=3)]     # [B, H, T, S]
        if allowed is not None:
            scores = scores.masked_fill(~allowed, float("-inf"))
        weights = scores.softmax(dim=-1)                                # [B, H, T, S]
        return weights @ value, weights


class DistanceLayer(DecoderLayer):
    """A learned bias by distance in self-attention: T5's positions."""

    def __init__(self, config):
        super().__init__(config)
        self.self_attention.attend = DistanceBias(config.heads)


class GatedHeads(MultiHeadAttention):
    """An attention that overrides `forward` alone, and gates what it found."""

    def __init__(self, width, heads, attend=sdpa):
        super().__init__(width, heads, attend)
        self.gate = nn.Linear(width, width)

    def forward(self, x, source=None, allowed=None):
        return self.gate(x).sigmoid() * super().forward(x, source, allowed)


class GatedLayer(DecoderLayer):
    def __init__(self, config):
        super().__init__(config)
        self.self_attention, self.cross_attention = (
            GatedHeads(config.width, config.heads, config.attend) for _ in range(2))


class SourceFirstLayer(DecoderLayer):
    """Cross-attention, named arguments, a norm behind everything."""

    def forward(self, x, memory, allowed=None, memory_allowed=None):
        x = x + self.cross_attention(self.norm2(x), allowed=memory_allowed,
                                     source=memory)
        x = x + self.feed_forward(self.norm3(x))
        return self.norm1(x + self.self_attention(x, None, allowed))


class IfSourceLayer(DecoderLayer):
    """Asks the source where there is one: that of a step is not None."""

    def forward(self, x, memory=None, allowed=None, memory_allowed=None):
        x = x + self.self_attention(self.norm1(x), allowed=allowed)
        if memory is not None:
            x = x + self.cross_attention(self.norm2(x), memory, memory_allowed)
        return x + self.feed_forward(self.norm3(x))


class PlainLayer(nn.Module):
    """One that is no DecoderLayer: attention to words and source, and nothing else."""

    def __init__(self, config):
        super().__init__()
        self.self_attention = MultiHeadAttention(config.width, config.heads)
        self.cross_attention = MultiHeadAttention(config.width, config.heads)

    def forward(self, x, memory, allowed=None, memory_allowed=None):
        x = x + self.self_attention(x, allowed=allowed)
        return x + self.cross_attention(x, memory, memory_allowed)


class OtherDecoder(TransformerDecoder):
    """Overrides `forward` alone: its layers run from the last to the first."""

    def forward(self, target, memory, memory_allowed):
        x = self.norm(self.embedding(target, torch.arange(target.shape[1])))
        allowed = causal_mask(target.shape[1])
        for layer in self.layers[::-1]:
            x = x + layer(x, memory, allowed, memory_allowed)
        return x - 2 * self.norm(x)


OWN = [ParallelLayer, GroupedCrossLayer, GroupedSelfLayer, DistanceLayer, GatedLayer,
       SourceFirstLayer, IfSourceLayer, PlainLayer]
LAYERS = classes(DecoderLayer, "x", "memory") | {kind.__name__: kind for kind in OWN}
DECODERS = classes(TransformerDecoder, "target", "memory") | {
    "OtherDecoder": OtherDecoder}


def translator_of(layer=DecoderLayer, decoder=TransformerDecoder, sizes=(20, 30)):
    """A small Transformer of two of these layers, with random biases and gains."""
    torch.manual_seed(0)
    config = TransformerConfig(**SIZES)
    model = Transformer(
        TransformerEncoder(Embedding(sizes[0], config),
                           [EncoderLayer(config) for _ in range(2)], LayerNorm(D)),
        decoder(Embedding(sizes[1], config), [layer(config) for _ in range(2)],
                LayerNorm(D))).double()
    for part in model.parameters():
        nn.init.normal_(part, std=0.4)
    return model.eval()


# then as they are, for longer than a window or a convolution may reach
ORDERS = {"as they are": [[0, 1]] * T,
          "beams": [[0, 0, 0, 1, 1, 1], [2, 0, 1, 3, 3, 4], [0, 1, 2, 5, 4, 3],
                    [2, 2, 2, 3, 5, 3]] + [[0, 1, 2, 3, 4, 5]] * T,
          "any order": [[1, 0], [1, 1, 0], [2, 0, 2, 1], [3], [0, 0, 0]] + [[0, 1]] * T}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", LAYERS)
def test_steps_of_every_decoder_layer_score_as_its_forward(name, order):
    follows(translator_of(LAYERS[name]), ORDERS[order])


@pytest.mark.parametrize("name", DECODERS)
def test_steps_of_every_decoder_score_as_its_forward(name):
    follows(translator_of(decoder=DECODERS[name]), ORDERS["beams"])


@pytest.mark.parametrize("name", LAYERS)
def test_gradients_of_steps_are_those_of_forward(name):
    model = translator_of(LAYERS[name])
    source, lengths, target = pairs_of_ids()
    cache, steps = model.start(source, lengths), []
    for ids in target.unbind(dim=1):
        logits, cache = model.step(ids, cache)
        steps.append(logits)
    direction = torch.randn(B, T, 30).double()
    slopes = [torch.autograd.grad((scores * direction).sum(), list(model.parameters()),
                                  allow_unused=True)
              for scores in (torch.stack(steps, dim=1), model(source, lengths, target))]
    for mine, right in zip(*slopes):    # None: a norm that the layer does not use
        torch.testing.assert_close(mine, right, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", LAYERS)
def test_no_decoder_layer_knows_a_later_word_or_a_pad(name):
    knows_nothing_it_should_not(translator_of(LAYERS[name]))


def test_the_layers_of_the_package_are_found():
    assert {"DecoderLayer", "PostNormDecoderLayer"} <= LAYERS.keys()
    assert "TransformerDecoder" in DECODERS and {"Layer"} <= TEXT_LAYERS.keys()


@pytest.mark.parametrize("name", LAYERS)
def test_weights_of_every_decoder_layer_are_its_own(name):
    model, (source, lengths, target) = translator_of(LAYERS[name]), pairs_of_ids()
    _, own, cross = all_weights(model, source, lengths, target)
    assert [w.shape for w in own] == 2 * [(B, H, T, T)]
    assert [w.shape for w in cross] == 2 * [(B, H, T, S)]
    for weights in own + cross:
        torch.testing.assert_close(weights.sum(-1), torch.ones(B, H, T).double())
    # the last word of a step has its row of the whole
    cache = model.start(source, lengths)
    with recorded_weights(model) as kept:
        for ids in target.unbind(dim=1):
            _, cache = model.step(ids, cache)
    for number in range(2):
        torch.testing.assert_close(kept[f"decoder.layers.{number}.self_attention"],
                                   own[number][:, :, -1:])
        torch.testing.assert_close(kept[f"decoder.layers.{number}.cross_attention"],
                                   cross[number][:, :, -1:])


# Broken on purpose


class MixedLayer(DecoderLayer):
    """Mixes neighbours, which a step does not see."""

    def forward(self, x, memory, allowed=None, memory_allowed=None):
        before = torch.cat([torch.zeros_like(x[:, :1]), x[:, :-1]], dim=1)
        return super().forward(x + before, memory, allowed, memory_allowed)


class Window8Layer(DecoderLayer):
    """Sees eight words, where there is more than one."""

    def forward(self, x, memory, allowed=None, memory_allowed=None):
        near = None if allowed is None else allowed & ~allowed.tril(-8)
        return super().forward(x, memory, near, memory_allowed)


@pytest.mark.parametrize("layer", [MixedLayer, Window8Layer])
@pytest.mark.parametrize("order", ORDERS)
def test_a_step_that_is_wired_otherwise_is_found(layer, order):
    """By the tests too, if nothing compared at the start."""
    model = translator_of(layer)
    model.decoder.compared = foreign(model.decoder)
    with pytest.raises(AssertionError):
        follows(model, ORDERS[order])


class OtherNameLayer(PlainLayer):
    def __init__(self, config):
        super().__init__(config)
        self.near = MultiHeadAttention(config.width, config.heads)

    def forward(self, x, memory, allowed=None, memory_allowed=None):
        x = super().forward(x, memory, allowed, memory_allowed)
        return x + self.near(x, allowed=allowed)


class OwnProjections(MultiHeadAttention):
    """Makes its keys itself, so that nothing can be kept of them."""

    def forward(self, x, source=None, allowed=None):
        source = x if source is None else source
        key, value = (split_heads(make(source), self.heads)
                      for make in (self.key, self.value))
        return self.attend_to(x, key, value, allowed)


class OwnProjectionsLayer(PlainLayer):
    def __init__(self, config):
        super().__init__(config)
        self.self_attention = OwnProjections(config.width, config.heads)


class Around(nn.Module):
    def __init__(self, part):
        super().__init__()
        self.part = part

    def forward(self, x, *given):
        return x + self.part(x, *given)


class WrappedLayer(PlainLayer):
    """Asks the source, all of it, by another name of the attention."""

    def __init__(self, config):
        super().__init__(config)
        self.cross = Around(self.cross_attention)

    def forward(self, x, memory, allowed=None, memory_allowed=None):
        return self.cross(x + self.self_attention(x, allowed=allowed), memory)


@pytest.mark.parametrize(("kind", "words"), [
    (WrappedLayer, "must be Tensor, not DecoderCache"),
    (OtherNameLayer, "no other attention; OtherNameLayer has cross_attention, near,"),
    (OwnProjectionsLayer, "layer 0 keeps keys of 0 words where there are 1")])
def test_a_layer_that_no_cache_can_serve_is_refused(kind, words):
    model, (source, lengths, target) = translator_of(kind), pairs_of_ids()
    model(source, lengths, target)    # it trains
    with pytest.raises(TypeError, match=words):
        model.step(target[:, 0], model.start(source, lengths))


class Mixing(nn.Module):
    """Each word with one before it: a convolution of two words, `far` from each other.

    zero: it adds nothing until a gate is learned
    """

    def __init__(self, far=1, zero=False):
        super().__init__()
        self.kernel, self.far = nn.Linear(2 * D, D, bias=False), far
        self.gate = nn.Parameter(torch.zeros(D)) if zero else 1

    def forward(self, x):
        before = torch.nn.functional.pad(x, (0, 0, self.far, 0))[:, :x.shape[1]]
        return self.gate * self.kernel(torch.cat([before, x], dim=-1))


class ConvolutionLayer(DecoderLayer):
    def __init__(self, config, far=1, zero=False):
        super().__init__(config)
        self.mix = Mixing(far, zero)

    def forward(self, x, memory, allowed=None, memory_allowed=None):
        return super().forward(x + self.mix(x), memory, allowed, memory_allowed)


class WindowLayer(DecoderLayer):
    """Self-attention that sees two words: a window, or `reach` of them."""

    def __init__(self, config, reach=2):
        super().__init__(config)
        self.reach = reach

    def forward(self, x, memory, allowed=None, memory_allowed=None):
        near = None if allowed is None else allowed & ~allowed.tril(-self.reach)
        return super().forward(x, memory, near, memory_allowed)


class PlacedLayer(DecoderLayer):
    """Positions once more, counted by the layer itself."""

    def forward(self, x, memory, allowed=None, memory_allowed=None):
        places = torch.zeros_like(x)
        places[..., 0] = torch.arange(x.shape[1])
        return super().forward(x + places, memory, allowed, memory_allowed)


class PlacedEmbedding(Embedding):
    """Positions that it counts itself."""

    def forward(self, ids, positions):
        return super().forward(ids, torch.arange(ids.shape[1]))


def placed(embedding):
    model = translator_of()
    model.decoder.embedding = embedding(30, TransformerConfig(**SIZES)).double()
    return model.eval()


@pytest.mark.parametrize("make", [
    lambda: translator_of(PlacedLayer), lambda: placed(PlacedEmbedding),
    *[partial(translator_of, partial(ConvolutionLayer, far=far)) for far in (1, 4, 6)],
    *[partial(translator_of, partial(WindowLayer, reach=reach))
      for reach in (2, 4, 5, 8)]],
    ids=["positions", "embedding", "convolution", "convolution 4", "convolution 6",
         "window", "window 4", "window 5", "window 8"])
def test_a_model_whose_words_meet_elsewhere_is_refused(make):
    model, (source, lengths, target) = make(), pairs_of_ids()
    model(source, lengths, target)    # it trains
    for _ in range(2):                # again, if it is asked again
        with pytest.raises(TypeError, match="word by word this model computes another"):
            model.start(source, lengths)


class OwnPositions(Embedding):
    """Learned positions of one's own, for few words, that say so in their own way."""

    def __init__(self, vocab_size, config, size=7, refuse=False):
        super().__init__(vocab_size, config)
        self.places, self.size = nn.Embedding(size, D), size if refuse else 10 ** 9

    def forward(self, ids, positions):
        assert ids.shape[1] <= self.size
        return self.table(ids) + self.places(positions)


class Places(Embedding):
    """Positions as a tensor that is cut."""

    def __init__(self, vocab_size, config):
        super().__init__(vocab_size, config)
        self.register_buffer("places", torch.linspace(0, 1, 7 * D).view(7, D))

    def forward(self, ids, positions):
        if positions.max() >= 7:
            raise ValueError("too long")
        return self.table(ids) + self.places[positions]


@pytest.mark.parametrize("embedding", [
    OwnPositions, partial(OwnPositions, refuse=True), Places,
    partial(LearnedEmbedding, context_length=7),
    partial(LearnedEmbedding, context_length=1)], ids=str)
@pytest.mark.parametrize("words", [5, 30])
def test_a_model_of_few_positions_and_words_is_compared(embedding, words):
    config = TransformerConfig(**SIZES)
    model, (source, lengths, _) = translator_of(ParallelLayer), pairs_of_ids()
    model.decoder.embedding = embedding(words, config).double()
    model.start(source, lengths)
    assert model.decoder.compared
    if getattr(model.decoder.embedding, "context_length", 0) != 1:
        model.decoder.layers[0] = PlacedLayer(config).double()
        with pytest.raises(TypeError, match="word by word this model computes another"):
            model.start(source, lengths)
    # the encoder has room for the sentence, and for no pad behind it
    model = translator_of(ParallelLayer)
    model.encoder.embedding = LearnedEmbedding(20, config, S).double()
    model.start(source[1:], lengths[1:])
    assert model.compared


class CountedBias(DistanceBias):
    """Counts distances from the first word that it is asked by."""

    def forward(self, query, key, value, allowed=None):
        T, S = query.shape[-2], key.shape[-2]
        distance = torch.arange(T)[:, None] - torch.arange(S)           # [T, S]
        scores = query @ key.mT + self.bias[:, distance.clamp(0, 3)]    # [B, H, T, S]
        if allowed is not None:
            scores = scores.masked_fill(~allowed, float("-inf"))
        return scores.softmax(dim=-1) @ value, None


class CountedLayer(DistanceLayer):
    def __init__(self, config):
        super().__init__(config)
        self.self_attention.attend = CountedBias(config.heads)


class RootLayer(DecoderLayer):
    """The root of a weight that starts at zero, and weights that never move."""

    def __init__(self, config):
        super().__init__(config)
        self.square = nn.Parameter(torch.zeros(D))
        self.mask = nn.Parameter(causal_mask(99).double(), requires_grad=False)

    def forward(self, x, memory, allowed=None, memory_allowed=None):
        if allowed is not None:
            allowed = allowed & (self.mask == 1)[:len(allowed), :len(allowed)]
        x = super().forward(x, memory, allowed, memory_allowed)
        return x + self.square.sqrt()


def emptied(model, *names):
    """A model whose weights of these names are zero, as before its training."""
    for name, part in model.named_parameters():
        if name.endswith(names):
            nn.init.zeros_(part)
    return model


ZEROS = "gate", "attend.bias", "square"


@pytest.mark.parametrize("make", [
    partial(translator_of, CountedLayer),
    partial(translator_of, partial(ConvolutionLayer, zero=True)),
    lambda: convolving(20, 30, ZeroConvolutionLayer, **SMALL),
    lambda: writer_of(partial(ConvolutionText, zero=True))],
    ids=["bias", "gate", "encoder", "text"])
def test_what_starts_at_zero_is_refused_before_it_has_learned(make):
    model, (source, lengths, _) = emptied(make(), *ZEROS), pairs_of_ids()
    weights = {name: part.clone() for name, part in model.named_parameters()}
    given = () if isinstance(model, DecoderOnly) else (source, lengths)
    states = torch.get_rng_state()
    for _ in range(2):
        with pytest.raises(TypeError, match="word by word this model|pads behind a"):
            model.start(*given)
    assert torch.equal(states, torch.get_rng_state())
    for name, part in model.named_parameters():    # of a twin alone
        assert torch.equal(part, weights[name])


@pytest.mark.parametrize("make", [
    partial(translator_of, DistanceLayer), partial(translator_of, GatedLayer),
    lambda: frozen(translator_of(RootLayer)),
    lambda: unplaced(ConvolutionEncoderLayer)],
    ids=["bias", "gate", "root", "rows of zeros"])
def test_what_starts_at_zero_and_is_right_is_not_refused(make):
    model, (source, lengths, _) = emptied(make(), *ZEROS), pairs_of_ids()
    model.start(source, lengths)
    assert model.compared


def test_a_model_is_compared_once_and_after_each_change():
    model, (source, lengths, _) = translator_of(ParallelLayer), pairs_of_ids()
    states = torch.get_rng_state()
    modes = [part.training for part in model.train().modules()]
    model.start(source, lengths)
    assert model.decoder.compared and torch.equal(states, torch.get_rng_state())
    assert modes == [part.training for part in model.modules()]
    model.decoder.layers[1] = WindowLayer(TransformerConfig(**SIZES)).double()
    with pytest.raises(TypeError, match="word by word this model computes another"):
        model.start(source, lengths)
    package = translator_of()
    package.start(source, lengths)
    assert not hasattr(package.decoder, "compared")
    package.decoder.layers[0].self_attention.attend = dict.get    # it tells no module
    assert len(foreign(package.decoder)) == 1


def test_another_part_in_the_place_of_one_is_asked_anew():
    """Python gives the number of what is gone, its id, to what comes next."""
    model, (source, lengths, _) = translator_of(), pairs_of_ids()
    own = model.decoder.layers[0].self_attention

    def near(query, key, value, allowed=None):
        return sdpa(query, key, value,
                    None if allowed is None else allowed & ~allowed.tril(-2))

    for _ in range(4):
        own.attend = partial(lambda *given: sdpa(*given))
        model.start(source, lengths)
        del own.attend
        own.attend = partial(near)
        with pytest.raises(TypeError, match="word by word this model computes another"):
            model.start(source, lengths)


# Pads


class Convolution(nn.Module):
    """Each word with both of its neighbours."""

    def __init__(self, width=D):
        super().__init__()
        self.kernel = nn.Conv1d(width, width, 3, padding=1)

    def forward(self, x):
        return self.kernel(x.mT).mT


class ConvolutionEncoderLayer(EncoderLayer):
    def __init__(self, config):
        super().__init__(config)
        self.mix = Convolution(config.width)

    def forward(self, x, allowed=None):
        return super().forward(x + self.mix(x), allowed)


class ZeroConvolutionLayer(ConvolutionEncoderLayer):
    """Its convolution adds nothing until a gate is learned."""

    def __init__(self, config):
        super().__init__(config)
        self.gate = nn.Parameter(torch.zeros(config.width))

    def forward(self, x, allowed=None):
        return EncoderLayer.forward(self, x + self.gate * self.mix(x), allowed)


class MaskedConvolutionLayer(ConvolutionEncoderLayer):
    """What stands behind a sentence is 0, as if nothing did."""

    def forward(self, x, allowed=None):
        return super().forward(x * allowed.mT, allowed)


class UnpackedEncoder(Encoder):
    """Its way back begins at the pads."""

    def forward(self, source, lengths):
        everything = torch.full_like(lengths, source.shape[1])
        return replace(super().forward(source, everything),
                       allowed=padding_mask(lengths, source.shape[1]))


def convolving(source_words, target_words, layer=ConvolutionEncoderLayer, **sizes):
    """A recipe's build, with such a layer in the encoder."""
    model = book_transformer(source_words, target_words, **sizes)
    config = replace(BOOK, **sizes)
    model.encoder.layers = nn.ModuleList(layer(config) for _ in range(config.layers))
    return model


def frozen(model):
    """A mask that is a weight, as it was before `translator_of` filled it."""
    for layer in model.decoder.layers:
        layer.mask.data = causal_mask(99).double()
    return model


def unplaced(layer):
    """Its convolution reads rows of a table, and that of a pad is zero."""
    model = convolving(20, 30, layer, **SMALL)
    model.encoder.embedding = UnplacedEmbedding(20, replace(BOOK, **SMALL))
    return model


SMALL = {"width": D, "heads": H, "layers": 1, "hidden": 20}
PADS = "pads behind a sentence change what this model makes of it"


def test_a_sentence_that_means_another_thing_beside_pads_is_refused():
    source, lengths, target = pairs_of_ids()
    model = convolving(20, 30, **SMALL)
    model(source, lengths, target)    # it trains
    for ids in (source, source.flip(0), source.roll(3, 1)):    # pads in front, too
        with pytest.raises(TypeError, match=PADS):
            model.start(ids, lengths)
    convolving(20, 30, MaskedConvolutionLayer, **SMALL).start(source, lengths)
    with pytest.raises(TypeError, match=PADS):
        check_pads(rnn(20, 30, 8, 6, encoder=UnpackedEncoder), source)
    check_pads(rnn(20, 30, 8, 6), source)


@pytest.mark.parametrize(("build", "words"), [
    (convolving, PADS),
    (partial(rnn, width=8, embedding_width=6, encoder=UnpackedEncoder), PADS),
    (lambda *words, **sizes: translator_of(WindowLayer, sizes=words), "word by word")],
    ids=["encoder", "RNN", "decoder"])
def test_no_training_begins_that_no_translation_could_follow(
        build, words, monkeypatch, tmp_path):
    """Nobody trains for an hour first."""
    monkeypatch.setitem(RECIPES, "mine", Recipe(build, Settings(updates=1), "mine"))
    vocab = Vocab([["a", "b", "c"]])
    data = [(["a", "b"], ["c"])], [(["a"], ["b"])], vocab, vocab, []
    options = SMALL if build is convolving else {}
    with pytest.raises(TypeError, match=words):
        train_folder(tmp_path / "model", "mine", data, options=options, text="plain")
    assert not (tmp_path / "model").exists()


ENCODER_LAYERS = classes(EncoderLayer, "x", "allowed")
ENCODER_LAYERS = {name: kind for name, kind in ENCODER_LAYERS.items()
                  if issubclass(kind, EncoderLayer)}


@pytest.mark.parametrize("name", ENCODER_LAYERS)
def test_no_encoder_layer_of_the_package_knows_a_pad(name):
    torch.manual_seed(0)
    model = convolving(20, 30, ENCODER_LAYERS[name], **SMALL).double().eval()
    knows_nothing_it_should_not(model)


# One stack


class ParallelText(decoder_only.Layer):
    def forward(self, x, angles, allowed, cache=None, layer=0):
        read = self.norm1(x)
        return x + self.attention(
            read, angles, allowed, cache, layer) + self.feed_forward(read)


class SandwichText(decoder_only.Layer):
    """A norm behind each sub-layer too, as in Gemma 2."""

    def forward(self, x, angles, allowed, cache=None, layer=0):
        x = x + self.norm2(self.attention(self.norm1(x), angles, allowed, cache, layer))
        return x + self.norm1(self.feed_forward(self.norm2(x)))


class WideValues(decoder_only.GroupedAttention):
    """As many keys as heads, whatever the config says."""

    def __init__(self, config):
        super().__init__(replace(config, kv_heads=config.heads))


class WideText(decoder_only.Layer):
    def __init__(self, config):
        super().__init__(config)
        self.attention = WideValues(config)


TEXT_LAYERS = classes(decoder_only.Layer, "x", "angles", "allowed", "cache", "layer")
TEXT_LAYERS |= {kind.__name__: kind for kind in (ParallelText, SandwichText, WideText)}
TEXT_LAYERS.pop("GroupedAttention")    # a part of each
TEXT_LAYERS.pop("Memory")    # it keeps no keys: no cache serves it


def writer_of(layer):
    torch.manual_seed(0)
    config = decoder_only.DecoderOnlyConfig(**TEXT)
    model = DecoderOnly(config)
    model.layers = nn.ModuleList(layer(config) for _ in range(2))
    for part in model.parameters():
        nn.init.normal_(part, std=0.4)
    return model.double().eval()


@pytest.mark.parametrize("cuts", [[1] * T, [9, 1, T - 10], [T]], ids=str)
@pytest.mark.parametrize("name", TEXT_LAYERS)
def test_steps_of_every_layer_of_one_stack_score_as_its_forward(name, cuts):
    model, ids = writer_of(TEXT_LAYERS[name]), torch.randint(0, 30, (B, T))
    whole, cache, parts = model(ids), model.start(), []
    for part in ids.split(cuts, dim=1):
        parts.append(model(part, cache=cache))
    torch.testing.assert_close(torch.cat(parts, dim=1), whole, rtol=0, atol=1e-11)


class ForgetfulText(decoder_only.Layer):
    def forward(self, x, angles, allowed, cache=None, layer=0):
        S = x.shape[1]
        x = x + self.attention(self.norm1(x), angles, allowed[..., -S:])
        return x + self.feed_forward(self.norm2(x))


@pytest.mark.parametrize("layer", [ForgetfulText, Memory])
def test_a_layer_that_forgets_the_cache_is_refused(layer):
    model, ids = writer_of(layer), torch.randint(0, 30, (B, 6))
    model(ids)
    with pytest.raises(TypeError, match="layer 0 keeps keys of 0 words where there"):
        model(ids, cache=model.start())


class ConvolutionText(decoder_only.Layer):
    def __init__(self, config, far=1, zero=False):
        super().__init__(config)
        self.mix = Mixing(far, zero)

    def forward(self, x, angles, allowed, cache=None, layer=0):
        return super().forward(x + self.mix(x), angles, allowed, cache, layer)


@pytest.mark.parametrize("far", [1, 4, 6])
def test_a_text_whose_words_meet_elsewhere_is_refused(far):
    model = writer_of(partial(ConvolutionText, far=far))
    model(torch.randint(0, 30, (B, 6)))
    with pytest.raises(TypeError, match="word by word this model computes another"):
        model.start()


@pytest.mark.parametrize("reach", [2, 4, 8])
def test_an_attention_function_of_a_config_is_compared_too(reach):
    def near(query, key, value, allowed=None):
        return sdpa(query, key, value, allowed & ~torch.ones_like(allowed).tril(-reach))

    model = DecoderOnly(decoder_only.DecoderOnlyConfig(**TEXT, attend=near))
    assert set(foreign(model)) == {near}
    with pytest.raises(TypeError, match="word by word this model computes another"):
        model.start()


def test_sizes_of_these_tests_are_awkward():
    assert len({B, T, S, H, K, D}) == 6
