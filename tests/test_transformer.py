"""transformer: the layers against torch's with copied weights, and against their parts;
the whole model; values and gradients."""

from dataclasses import FrozenInstanceError

import pytest
import torch
from copied import differences, draw
from hypothesis import example, given, settings
from hypothesis import strategies as st
from machines import (
    B, D, H, HIDDEN, K, RULES, S, SIZES, T, agrees_with_torchs,
    knows_nothing_it_should_not, machine, make_layer, pairs_of_ids, twin)
from torch import nn

from softdict.attention import attention, sdpa
from softdict.layers import sinusoids
from softdict.masks import causal_mask, causal_padding_mask, hidden_mask, padding_mask
from softdict.transformer import (
    DecoderLayer, EncoderLayer, TransformerConfig, all_weights, make_transformer,
    recorded_weights)
from softdict.variants import make_variant
from softdict.vocab import PAD

few = settings(max_examples=15, deadline=None, derandomize=True)
chances = st.integers(0, 10_000)
both_types = pytest.mark.parametrize("dtype, close",
                                     [(torch.float64, 1e-10), (torch.float32, 1e-5)],
                                     ids=["float64", "float32"])
halves = pytest.mark.parametrize("dtype, close",
                                 [(torch.float16, 0.02), (torch.bfloat16, 0.15)],
                                 ids=["float16", "bfloat16"])
both_ways = pytest.mark.parametrize("attend", [sdpa, attention])


# Against torch

@both_types
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_the_encoder_layer_equals_torchs(rules, dtype, close):
    """Sentences of pads alone, too: torch gives zeros there."""
    # a norm of two equal numbers is too steep for float32
    least = 1 if dtype == torch.float64 else 4
    sizes = st.tuples(*(st.integers(1, most) for most in (3, 6, 4)),
                      st.integers(least, 5), st.integers(1, 9))

    @few
    @example((B, T, H, K, HIDDEN), 0)
    @given(sizes, chances)
    def check(sizes, seed):
        B, T, H, K, hidden = sizes
        lengths = torch.randint(0, T + 1, (B,),
                                generator=torch.Generator().manual_seed(seed))
        allowed, told = rules(lengths, T, dtype)
        ours = make_layer(EncoderLayer, dtype, seed, width=H * K, heads=H,
                          hidden=hidden)
        theirs = twin(ours)
        apart = differences(lambda x: ours(x, allowed), lambda x: theirs(x, **told),
                            [draw(seed, B, T, H * K, dtype=dtype)], ours, theirs)
        assert apart.max() <= close
    check()


@both_types
@pytest.mark.parametrize("masked", [True, False])
def test_the_decoder_layer_equals_torchs(masked, dtype, close):
    ours, real = make_layer(DecoderLayer, dtype), padding_mask(torch.tensor([4, 7]), S)
    theirs, masks, told = twin(ours), (None, None), {}
    if masked:
        masks = causal_mask(T), real[:, None, :]
        told = {"tgt_mask": hidden_mask(causal_mask(T)),
                "memory_key_padding_mask": hidden_mask(real)}
    apart = differences(lambda x, memory: ours(x, memory, *masks),
                        lambda x, memory: theirs(x, memory, **told),
                        [draw(1, B, T, D, dtype=dtype), draw(2, B, S, D, dtype=dtype)],
                        ours, theirs)
    assert apart.max() <= close


def test_dropout_is_off_in_evaluation_and_the_layer_equals_torchs():
    ours = make_layer(EncoderLayer, dropout=0.4).eval()
    theirs = twin(ours, dropout=0.4).eval()
    hidden = hidden_mask(padding_mask(torch.tensor([3, 5]), T))
    apart = differences(lambda x: ours(x, ~hidden[:, None, :]),
                        lambda x: theirs(x, src_key_padding_mask=hidden),
                        [draw(1, B, T, D)], ours, theirs)
    assert apart.max() <= 1e-10


@pytest.mark.parametrize("kind, sources", [(EncoderLayer, 0), (DecoderLayer, 1)])
def test_dropout_acts_in_training_on_every_answer_and_inside_feed_forward(
        kind, sources):
    layer, given = make_layer(kind, dropout=0.4), [draw(1, B, T, D)] * (1 + sources)
    drops = {name: part for name, part in layer.named_modules()
             if isinstance(part, nn.Dropout)}
    assert {name: part.p for name, part in drops.items()} == {
        "dropout": 0.4, "feed_forward.dropout": 0.4}
    assert not torch.equal(layer(*given), layer(*given))
    called = []
    for name, part in drops.items():
        part.register_forward_hook(lambda *_, name=name: called.append(name))
    layer.eval()
    assert torch.equal(layer(*given), layer(*given))
    once = ["dropout"] * (1 + sources) + ["feed_forward.dropout", "dropout"]
    assert called == 2 * once


# Against its parts

def test_the_norms_stand_before_the_sub_layers():
    """Xiong et al. 2020, figure 1b"""
    x, allowed, memory = draw(1, B, T, D), causal_mask(T), draw(2, B, S, D)
    layer = make_layer(EncoderLayer)
    y = x + layer.self_attention(layer.norm1(x), allowed=allowed)
    torch.testing.assert_close(layer(x, allowed),
                               y + layer.feed_forward(layer.norm2(y)))
    layer, real = make_layer(DecoderLayer), padding_mask(torch.tensor([4, 7]), S)
    y = x + layer.self_attention(layer.norm1(x), allowed=allowed)
    y = y + layer.cross_attention(layer.norm2(y), memory, real[:, None])
    torch.testing.assert_close(layer(x, memory, allowed, real[:, None]),
                               y + layer.feed_forward(layer.norm3(y)))


@pytest.mark.parametrize("kind", [EncoderLayer, DecoderLayer])
def test_a_layer_without_answers_leaves_the_words_as_they_were(kind):
    layer, x = make_layer(kind), draw(1, B, T, D)
    for name, part in layer.named_parameters():
        if ".out." in name or ".down." in name:
            nn.init.zeros_(part)
    assert torch.equal(layer(x) if kind is EncoderLayer else layer(x, x), x)


def test_recorded_weights_are_those_of_the_heads():
    layer, x, memory = make_layer(DecoderLayer), draw(1, B, T, D), draw(2, B, S, D)
    real = padding_mask(torch.tensor([3, 5]), S)[:, None, :]
    with recorded_weights(layer) as kept:
        new = layer(x, memory, causal_mask(T), real)
    assert {name: part.shape for name, part in kept.items()} == {
        "self_attention": (B, H, T, T), "cross_attention": (B, H, T, S)}
    own = layer.self_attention.weights(layer.norm1(x), allowed=causal_mask(T))
    torch.testing.assert_close(kept["self_attention"], own)
    before = dict(kept)
    assert torch.equal(layer(x, memory, causal_mask(T), real), new)
    assert kept.keys() == before.keys()
    assert all(kept[name] is before[name] for name in kept)
    # nothing stays behind, after an error neither
    with pytest.raises(ZeroDivisionError), recorded_weights(layer):
        raise ZeroDivisionError
    assert not any(part._forward_hooks for part in layer.modules())


def test_the_function_that_attends_can_be_exchanged():
    calls = []

    def counted(*given):
        calls.append(len(given))
        return attention(*given)

    layer, x = make_layer(EncoderLayer, attend=counted), draw(1, B, T, D)
    torch.testing.assert_close(layer(x, causal_mask(T)),
                               make_layer(EncoderLayer)(x, causal_mask(T)))
    assert calls == [4]


@both_ways
def test_a_sentence_of_pads_alone_gives_finite_gradients_and_disturbs_no_other(attend):
    layer = make_layer(EncoderLayer, attend=attend)
    x = draw(1, B, T, D).requires_grad_()
    allowed = causal_padding_mask(torch.tensor([0, 4]), T)
    with torch.autograd.set_detect_anomaly(True):
        new = layer(x, allowed)
        new.square().sum().backward()
    assert new.isfinite().all() and all(part.grad.isfinite().all()
                                        for part in (x, *layer.parameters()))
    torch.testing.assert_close(new[1:], layer(x[1:], allowed[1:]))
    empty = layer.norm1(x[:1])
    heads = layer.self_attention
    assert heads.weights(empty, allowed=allowed[:1]).count_nonzero() == 0
    assert torch.equal(heads(empty, allowed=allowed[:1]),
                       heads.out.bias.expand(1, T, D))


def test_layers_in_a_list_are_independent():
    layers = nn.ModuleList(EncoderLayer(TransformerConfig(**SIZES)) for _ in range(3))
    one = 4 * (D * D + D) + (D * HIDDEN + HIDDEN) + (HIDDEN * D + D) + 2 * 2 * D
    assert sum(part.numel() for part in layers.parameters()) == 3 * one
    places = [part.data_ptr() for part in layers.parameters()]
    assert len(set(places)) == len(places) == 3 * 16
    layers[1](draw(0, B, T, D, dtype=torch.float32)).square().sum().backward()
    assert [any(part.grad is not None for part in layer.parameters())
            for layer in layers] == [False, True, False]


@pytest.mark.parametrize("kind", [EncoderLayer, DecoderLayer])
def test_a_layer_keeps_nothing_of_a_sentence(kind):
    layer, x, other = make_layer(kind), draw(1, B, T, D), draw(2, 3, 2, D)

    def run(x):
        return layer(*[x] * (1 if kind is EncoderLayer else 2))

    before = {name: part.clone() for name, part in layer.state_dict().items()}
    first = run(x)
    run(other)
    assert torch.equal(run(x), first)
    assert all(torch.equal(part, before[name])
               for name, part in layer.state_dict().items())


@halves
@both_ways
def test_half_precision_is_near_and_finite(attend, dtype, close):
    layer = make_layer(EncoderLayer, torch.float32, attend=attend)
    x, allowed = (draw(1, B, T, D, dtype=torch.float32),
                  causal_padding_mask(torch.tensor([0, 4]), T))
    wanted = layer(x, allowed)
    layer, x = layer.to(dtype), x.to(dtype).requires_grad_()
    new = layer(x, allowed)
    assert new.dtype == dtype
    torch.testing.assert_close(new.float(), wanted, rtol=0, atol=close)
    new.float().square().sum().backward()
    assert all(part.grad.isfinite().all() for part in (x, *layer.parameters()))


def test_half_precision_survives_words_of_three_hundred():
    layer = make_layer(EncoderLayer, torch.float16)
    x = (300 * draw(1, B, T, D).sign()).half().requires_grad_()
    new = layer(x, causal_padding_mask(torch.tensor([0, 4]), T))
    assert new.isfinite().all()
    new.float().sum().backward()
    assert all(part.grad.isfinite().all() for part in (x, *layer.parameters()))


@both_ways
@pytest.mark.parametrize("encoding", ["sinusoidal", "learned", "rotary"])
def test_every_tensor_is_made_where_the_words_are(encoding, attend):
    with torch.device("meta"):
        model = machine(positional_encoding=encoding, attend=attend)
        source, lengths = torch.ones(B, S).long(), torch.ones(B).long()
        target = torch.ones(B, T).long()
    logits = model(source, lengths, target)
    assert logits.shape == (B, T, 30) and logits.is_meta
    logits, cache = model.step(target[:, 0], model.start(source, lengths))
    logits, cache = model.step(target[:, 1], cache)
    assert logits.shape == (B, 30) and logits.is_meta and cache.length == 2


# The whole model

@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
def test_the_whole_model_equals_torchs():
    agrees_with_torchs(machine(), norm_first=True)


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
def test_parameters_equal_the_count_by_hand():
    def count(module):
        return sum(part.numel() for part in module.parameters())

    config = TransformerConfig(512, heads=8, layers=6, hidden=2048)
    with torch.device("meta"):
        paper = make_transformer(100, 100, config)
        untied = make_variant(100, 100, config, tied=False)
        theirs = nn.Transformer()
    assert (count(paper.encoder.layers[0]) == 3_152_384
            and count(paper.decoder.layers[0]) == 4_204_032)
    # two embeddings, one of them the generator's too, and its bias
    stacks = count(paper) - 2 * 100 * 512 - 100
    assert stacks == 44_140_544 == count(theirs)
    assert count(untied) - count(paper) == 100 * 512


def test_a_config_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        TransformerConfig().width = 512


def test_no_state_knows_a_later_word_a_pad_or_another_sentence():
    knows_nothing_it_should_not(machine().eval())


def test_what_is_encoded_is_what_the_decoder_asks():
    model = machine().eval()
    source, lengths, target = pairs_of_ids()
    memory, allowed = model.encode(source, lengths)
    assert torch.equal(allowed, padding_mask(lengths, S)[:, None, :])
    x = model.decoder(target, memory, allowed)
    assert torch.equal(x, model.states(source, lengths, target))
    assert torch.equal(model.generator(x), model(source, lengths, target))
    assert not torch.allclose(model.decoder(target, 0 * memory, allowed), x)


def test_an_embedding_is_scaled_before_its_position_is_added():
    embedding = machine().encoder.embedding
    with torch.no_grad():
        embedding.table.weight.fill_(1.0)
        embedding.table.weight[3] = 0.0
    codes = sinusoids(torch.arange(2), 12)
    found = embedding(torch.tensor([[3, 4]]), torch.arange(2)).float()
    torch.testing.assert_close(found[0], codes + torch.tensor([[0.0], [12 ** 0.5]]))
    assert machine().encoder.embedding.table.weight[PAD].abs().sum() == 0


def test_tied_and_untied_generators():
    tied, untied = machine(), machine(tied=False)
    assert tied.generator.weight is tied.decoder.embedding.table.weight
    assert untied.generator.weight is not untied.decoder.embedding.table.weight
    source, lengths, target = pairs_of_ids()
    loss = nn.functional.cross_entropy(tied(source, lengths, target).flatten(0, 1),
                                       target.flatten())
    # the wrong way round it starts near 90
    assert loss < 2 * torch.tensor(30.0).log()


@pytest.mark.parametrize("encoding", ["sinusoidal", "learned", "rotary"])
def test_weights_of_every_layer_and_head(encoding):
    model = machine(positional_encoding=encoding).eval()
    source, lengths, target = pairs_of_ids()
    logits = model(source, lengths, target)
    reading, own, asked = all_weights(model, source, lengths, target)
    real = padding_mask(lengths, S)[:, None, None]
    for maps, rows, allowed in ((reading, S, real), (own, T, causal_mask(T)),
                                (asked, T, real)):
        assert len(maps) == 2
        for weights in maps:
            assert weights.shape[:3] == (B, H, rows)
            torch.testing.assert_close(weights.sum(dim=-1),
                                       torch.ones_like(weights[..., 0]))
            places = allowed.expand_as(weights)
            assert (weights[~places] == 0).all() and (weights[places] > 0).all()
    # those of plain attention, by another way
    plain = machine(positional_encoding=encoding, attend=attention).eval()
    for one, other in zip((reading, own, asked),
                          all_weights(plain, source, lengths, target)):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-12)
    # the same scores, whether weights are asked for or not
    with recorded_weights(model):
        assert torch.equal(model(source, lengths, target), logits)


def test_the_readers_own_attention_is_used():
    def first_word(query, key, value, allowed=None):
        weights = torch.zeros(*query.shape[:-1], key.shape[-2], dtype=query.dtype)
        weights[..., 0] = 1.0
        return weights @ value, weights

    model = machine(attend=first_word)
    source, lengths, target = pairs_of_ids()
    assert all((weights[..., 0] == 1).all()
               for maps in all_weights(model, source, lengths, target)
               for weights in maps)
    assert not torch.allclose(model(source, lengths, target),
                              machine()(source, lengths, target))


def test_dropout_works_in_training_alone():
    model = machine(dropout=0.5)
    source, lengths, target = pairs_of_ids()
    assert not torch.equal(model(source, lengths, target),
                           model(source, lengths, target))
    model.eval()
    assert torch.equal(model(source, lengths, target), model(source, lengths, target))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_stays_finite_and_close(dtype):
    model = machine().float().eval()
    source, lengths, target = pairs_of_ids()
    wanted = model(source, lengths, target)
    found = model.to(dtype)(source, lengths, target)
    assert found.dtype == dtype and found.isfinite().all()
    torch.testing.assert_close(found.float(), wanted, rtol=0, atol=0.1)
