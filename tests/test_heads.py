"""heads: multi-head attention against torch's with copied weights, and against loops: values and all gradients."""

import math

import pytest
import torch
from copied import differences, draw
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import nn

from softdict.attention import General, attention, fused
from softdict.heads import MultiHeadAttention, merge_heads, split_heads
from softdict.layers import rotate
from softdict.masks import additive_mask, causal_mask, hidden_mask, padding_mask

few = settings(max_examples=20, deadline=None, derandomize=True)
B, T, S, H, K, D = 2, 5, 7, 3, 4, 12
sizes = st.tuples(*(st.integers(1, most) for most in (3, 6, 7, 4, 5)))    # B, T, S, H, K
chances = st.integers(0, 10_000)
both_types = pytest.mark.parametrize("dtype, close", [(torch.float64, 1e-10), (torch.float32, 1e-5)],
                                     ids=["float64", "float32"])


def make(heads=H, width=D, dtype=torch.float64, seed=0, **options):
    """A layer with random biases too: torch begins with zeros, which would hide one in the wrong place."""
    torch.manual_seed(seed)
    layer = MultiHeadAttention(width, heads, **options).to(dtype)
    for name, part in layer.named_parameters():
        if name.endswith("bias"):
            nn.init.normal_(part)
    return layer


def twin(layer):
    """Torch's layer of the same size."""
    weight = layer.query.weight
    return nn.MultiheadAttention(len(weight), layer.heads, bias=layer.query.bias is not None, batch_first=True,
                                 dtype=weight.dtype)


def random_mask(seed, *shape, share=0.6, empty_rows=False):
    allowed = torch.rand(shape, generator=torch.Generator().manual_seed(seed)) < share
    if not empty_rows:
        allowed[..., 0] = True
    return allowed


def for_each_head(allowed, heads):
    """A mask a sentence as torch wants it: [B * H, T, S]."""
    return allowed.repeat_interleave(heads, dim=0)


# Against torch

@both_types
@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("need_weights", [True, False], ids=["weights", "no weights"])
def test_self_attention_equals_torchs(need_weights, bias, dtype, close):
    @few
    @example((B, T, S, H, K), 0)
    @given(sizes, chances)
    def check(sizes, seed):
        B, T, _, H, K = sizes
        ours = make(H, H * K, dtype, seed, bias=bias)
        theirs = twin(ours)
        allowed = random_mask(seed, B, T, T, empty_rows=not need_weights)    # with weights, torch's empty rows are nan
        hidden = for_each_head(hidden_mask(allowed), H)
        apart = differences(
            lambda words: given_weights(ours(words, allowed=allowed, need_weights=need_weights)),
            lambda words: given_weights(theirs(words, words, words, attn_mask=hidden, need_weights=need_weights,
                                               average_attn_weights=False)),
            [draw(seed, B, T, H * K, dtype=dtype)], ours, theirs)
        assert apart.max() <= close
    check()


def given_weights(answer):
    """The words, and the weights if there are some."""
    words, weights = answer
    return words if weights is None else (words, weights)


@both_types
@pytest.mark.parametrize("as_numbers", [False, True], ids=["boolean", "added"])
@pytest.mark.parametrize("need_weights", [True, False], ids=["weights", "no weights"])
def test_cross_attention_with_both_masks_equals_torchs(need_weights, as_numbers, dtype, close):
    @few
    @example((B, T, S, H, K), 0)
    @given(sizes, chances)
    def check(sizes, seed):
        B, T, S, H, K = sizes
        ours = make(H, H * K, dtype, seed)
        theirs = twin(ours)
        real = padding_mask(torch.randint(1, S + 1, (B,), generator=torch.Generator().manual_seed(seed)), S)
        some = random_mask(seed, T, S)
        masks = [additive_mask(mask, dtype) if as_numbers else hidden_mask(mask) for mask in (some, real)]
        allowed = some & real[:, None, :]
        apart = differences(
            lambda words, source: given_weights(ours(words, source, allowed, need_weights=need_weights)),
            lambda words, source: given_weights(theirs(
                words, source, source, attn_mask=masks[0], key_padding_mask=masks[1], need_weights=need_weights,
                average_attn_weights=False)),
            [draw(seed, B, T, H * K, dtype=dtype), draw(seed + 1, B, S, H * K, dtype=dtype)], ours, theirs)
        assert apart.max() <= close
    check()


@both_types
@pytest.mark.parametrize("as_numbers", [False, True], ids=["boolean", "added"])
def test_a_source_of_pads_alone_equals_torchs(as_numbers, dtype, close):
    ours, real = make(dtype=dtype), padding_mask(torch.tensor([0, 4]), S)
    theirs = twin(ours)
    pads = additive_mask(real, dtype) if as_numbers else hidden_mask(real)
    apart = differences(
        lambda words, source: ours(words, source, real[:, None, :])[0],
        lambda words, source: theirs(words, source, source, key_padding_mask=pads, need_weights=False)[0],
        [draw(1, B, T, D, dtype=dtype), draw(2, B, S, D, dtype=dtype)], ours, theirs)
    assert apart.max() <= close


@pytest.mark.parametrize("allowed", [None, causal_mask(T), padding_mask(torch.tensor([3, 5]), T)[:, None, :]],
                         ids=["none", "[T, S]", "[B, 1, S]"])
def test_a_mask_of_any_shape_holds_for_all_heads(allowed):
    ours, words = make(), draw(1, B, T, D)
    full = torch.ones(B, T, T, dtype=torch.bool) if allowed is None else allowed.broadcast_to(B, T, T)
    theirs = twin(ours)
    hidden = for_each_head(hidden_mask(full), H)
    apart = differences(
        lambda words: ours(words, allowed=allowed, need_weights=True),
        lambda words: theirs(words, words, words, attn_mask=hidden, average_attn_weights=False), [words], ours, theirs)
    assert apart.max() <= 1e-10


# Against loops

@few
@example((B, T, S, H, K), 0)
@given(sizes, chances)
def test_splitting_gives_each_head_its_columns_and_merging_undoes_it(sizes, seed):
    B, T, _, H, K = sizes
    words = draw(seed, B, T, H * K)
    parts = split_heads(words, H)
    assert parts.shape == (B, H, T, K)
    for h in range(H):
        assert torch.equal(parts[:, h], words[:, :, h * K:(h + 1) * K])
    assert torch.equal(merge_heads(parts), words)


@settings(max_examples=10, deadline=None)
@example((B, T, S, H, K), 0)
@given(sizes, chances)
def test_heads_side_by_side_equal_one_head_at_a_time(sizes, seed):
    B, T, S, H, K = sizes
    ours, allowed = make(H, H * K, seed=seed), random_mask(seed, B, T, S, empty_rows=True)

    theirs = twin(ours)    # keeps the same weights for the loop

    def loop(words, source):
        weights, biases = (part.unflatten(0, (3, H, K)) for part in (theirs.in_proj_weight, theirs.in_proj_bias))
        sentences = []
        for b in range(B):
            found = []
            for h in range(H):
                query, key, value = (numbers @ weights[n, h].T + biases[n, h]
                                     for n, numbers in enumerate((words[b], source[b], source[b])))
                answers = []
                for t in range(T):
                    seen = [s for s in range(S) if allowed[b, t, s]]
                    powers = [(query[t] @ key[s] / math.sqrt(K)).exp() for s in seen]
                    answers.append(sum((power / sum(powers) * value[s] for power, s in zip(powers, seen)),
                                       torch.zeros(K, dtype=torch.float64)))
                found.append(torch.stack(answers))
            sentences.append(torch.cat(found, dim=-1) @ theirs.out_proj.weight.T + theirs.out_proj.bias)
        return torch.stack(sentences)

    inputs = [draw(seed, B, T, H * K), draw(seed + 1, B, S, H * K)]
    for need_weights in (True, False):
        apart = differences(lambda *given: ours(*given, allowed, need_weights=need_weights)[0], loop, inputs,
                            ours, theirs)
        assert apart.max() <= 1e-10


def test_positions_turn_queries_and_keys_and_not_values():
    layer, words, positions = make(), draw(1, B, T, D), torch.arange(T) + 3
    query, (key, value) = layer.queries(words, positions), layer.keys_and_values(words, positions)
    plain, (plain_key, plain_value) = layer.queries(words), layer.keys_and_values(words)
    torch.testing.assert_close(query, rotate(plain, positions))
    torch.testing.assert_close(key, rotate(plain_key, positions))
    assert torch.equal(value, plain_value)
    assert min((query - plain).abs().max(), (key - plain_key).abs().max()) > 0.1
    by_steps = layer.attend(query, key, value, causal_mask(T))[0]
    torch.testing.assert_close(layer(words, allowed=causal_mask(T), positions=positions)[0], by_steps)


def test_only_distances_between_positions_count():
    layer, words, positions = make().double(), draw(1, B, T, D), torch.arange(T).double()
    near, far, other = (layer(words, positions=p)[0] for p in (positions, positions + 40, positions * 2))
    torch.testing.assert_close(near, far, rtol=0, atol=1e-10)
    assert (near - other).abs().max() > 0.001


def test_keys_and_values_made_once_serve_every_query():
    layer, words, source = make(), draw(1, B, T, D), draw(2, B, S, D)
    kept = layer.keys_and_values(source)
    steps = [layer.attend(layer.queries(words[:, t:t + 1]), *kept)[0] for t in range(T)]
    torch.testing.assert_close(torch.cat(steps, dim=1), layer(words, source)[0])


def test_keys_and_values_can_grow_word_by_word():
    """What a cache will do: a word looks among the keys so far, and no mask is needed."""
    layer, words = make(), draw(1, B, T, D)
    keys, values, steps = [], [], []
    for t in range(T):
        key, value = layer.keys_and_values(words[:, t:t + 1], torch.tensor([t]))
        keys, values = keys + [key], values + [value]
        query = layer.queries(words[:, t:t + 1], torch.tensor([t]))
        steps.append(layer.attend(query, torch.cat(keys, dim=2), torch.cat(values, dim=2))[0])
    whole, _ = layer(words, allowed=causal_mask(T), positions=torch.arange(T))
    torch.testing.assert_close(torch.cat(steps, dim=1), whole)


# Rows that may look nowhere

@pytest.mark.parametrize("need_weights", [True, False])
def test_a_word_that_may_look_nowhere_gets_the_bias_alone_and_finite_gradients(need_weights):
    layer, words, allowed = make(), draw(1, B, T, D).requires_grad_(), random_mask(1, B, T, T)
    allowed[0] = allowed[1, 2] = False
    empty = ~allowed.any(dim=-1)
    with torch.autograd.set_detect_anomaly(True):
        answer, weights = layer(words, allowed=allowed, need_weights=need_weights)
        answer.square().sum().backward()
    assert torch.equal(answer[empty], layer.out.bias.expand(int(empty.sum()), D))
    assert not need_weights or weights.transpose(1, 2)[empty].count_nonzero() == 0
    assert all(part.grad.isfinite().all() for part in (words, *layer.parameters()))
    assert words.grad[0].count_nonzero() == 0 and words.grad[1, 0].abs().min() > 0


# The function that looks

@pytest.mark.parametrize("need_weights", [True, False])
def test_the_function_that_looks_is_the_one_that_was_given(need_weights):
    calls = []

    def first_key(query, key, value, allowed=None):
        calls.append([tuple(query.shape), tuple(key.shape), tuple(value.shape), tuple(allowed.shape)])
        weights = torch.zeros(*query.shape[:-1], key.shape[-2], dtype=query.dtype)
        weights[..., 0] = 1
        return weights @ value, weights

    layer, words, source = make(attend=first_key), draw(1, B, T, D), draw(2, B, S, D)
    answer, weights = layer(words, source, torch.ones(T, S, dtype=torch.bool), need_weights=need_weights)
    wanted = layer.out(layer.value(source[:, :1])).expand(B, T, D)
    torch.testing.assert_close(answer, wanted)
    assert calls == [[(B, H, T, K), (B, H, S, K), (B, H, S, K), (1, T, S)]]
    assert (weights is not None) == need_weights and (weights is None or (weights[..., 0] == 1).all())


def test_a_score_that_learns_can_look_and_keeps_its_gradient():
    torch.manual_seed(0)
    score = General(K, K).double()
    layer = make(attend=lambda *given: attention(*given, score))
    layer(draw(1, B, T, D))[0].square().sum().backward()
    assert score.ask.weight.grad.abs().max() > 0


def test_weights_are_made_only_where_they_are_wanted(monkeypatch):
    used = []
    for name, function in (("attention", attention), ("fused", fused)):
        monkeypatch.setattr(f"softdict.heads.{name}", lambda *given, name=name, function=function:
                            used.append(name) or function(*given))
    layer, words = make(), draw(1, B, T, D)
    fast, none = layer(words, allowed=causal_mask(T))
    shown, weights = layer(words, allowed=causal_mask(T), need_weights=True)
    assert used == ["fused", "attention"] and none is None
    torch.testing.assert_close(fast, shown)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(B, H, T, dtype=torch.float64))
    assert (weights[..., ~causal_mask(T)] == 0).all() and weights.shape == (B, H, T, T)


# Sizes

@pytest.mark.parametrize("width, heads", [(12, 5), (10, 3), (3, 4)])
def test_heads_that_cannot_share_the_width_are_refused_in_one_sentence(width, heads):
    with pytest.raises(ValueError) as refusal:
        MultiHeadAttention(width, heads)
    assert str(refusal.value) == f"width must be a multiple of heads; got width {width} and {heads} heads"


def test_heads_of_odd_width_cannot_be_turned():
    with pytest.raises(ValueError, match="width must be even; got 3"):
        make(heads=4)(draw(1, B, T, D), positions=torch.arange(T))


def test_the_number_of_weights_does_not_depend_on_the_heads():
    for heads in (1, 3, 12):
        assert sum(part.numel() for part in MultiHeadAttention(12, heads).parameters()) == 4 * (12 * 12 + 12)
        assert sum(part.numel() for part in MultiHeadAttention(12, heads, bias=False).parameters()) == 4 * 12 * 12
    assert {name for name, _ in make(bias=False).named_parameters()} == {
        "query.weight", "key.weight", "value.weight", "out.weight"}


@pytest.mark.parametrize("dtype, close", [(torch.float16, 0.01), (torch.bfloat16, 0.08)])
@pytest.mark.parametrize("need_weights", [True, False])
def test_half_precision_is_near_and_finite(need_weights, dtype, close):
    layer, words, allowed = make(dtype=torch.float32), draw(1, B, T, D, dtype=torch.float32), random_mask(1, B, T, T)
    allowed[0, 2] = False
    wanted, _ = layer(words, allowed=allowed, positions=torch.arange(T))
    layer, words = layer.to(dtype), words.to(dtype).requires_grad_()
    answer, weights = layer(words, allowed=allowed, positions=torch.arange(T), need_weights=need_weights)
    assert answer.dtype == dtype
    torch.testing.assert_close(answer.float(), wanted, rtol=0, atol=close)
    answer.float().square().sum().backward()
    assert all(part.grad.isfinite().all() for part in (words, *layer.parameters()))
    assert weights is None or weights.dtype == dtype and weights.masked_fill(allowed[:, None], 0).count_nonzero() == 0
