"""heads: multi-head attention against torch's with copied weights, and against loops:
values and all gradients."""

import math
from functools import partial

import pytest
import torch
from copied import differences, draw
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import nn

from softdict.attention import General, attention, sdpa
from softdict.heads import MultiHeadAttention, merge_heads, rotary, split_heads
from softdict.layers import rotate
from softdict.masks import additive_mask, causal_mask, hidden_mask, padding_mask

few = settings(max_examples=20, deadline=None, derandomize=True)
B, T, S, H, K, D = 2, 5, 7, 3, 4, 12
# B, T, S, H, K
sizes = st.tuples(*(st.integers(1, most) for most in (3, 6, 7, 4, 5)))
chances = st.integers(0, 10_000)
both_types = pytest.mark.parametrize("dtype, close",
                                     [(torch.float64, 1e-10), (torch.float32, 1e-5)],
                                     ids=["float64", "float32"])
both_ways = pytest.mark.parametrize("attend", [attention, sdpa])


def make(heads=H, width=D, dtype=torch.float64, seed=0, **options):
    """A layer with random biases too: torch begins with zeros, which would hide one in
    the wrong place."""
    torch.manual_seed(seed)
    layer = MultiHeadAttention(width, heads, **options).to(dtype)
    for name, part in layer.named_parameters():
        if name.endswith("bias"):
            nn.init.normal_(part)
    return layer


def twin(layer):
    """Torch's layer of the same size."""
    weight = layer.query.weight
    return nn.MultiheadAttention(len(weight), layer.heads, bias=layer.query.bias
                                 is not None, batch_first=True, dtype=weight.dtype)


def random_mask(seed, *shape, share=0.6, empty_rows=False):
    allowed = torch.rand(shape, generator=torch.Generator().manual_seed(seed)) < share
    if not empty_rows:
        allowed[..., 0] = True
    return allowed


def for_each_head(allowed, heads):
    """A mask a sentence as torch wants it: [B * H, T, S]."""
    return allowed.repeat_interleave(heads, dim=0)


def answers(layer, *given, weights=True, **named):
    """What the layer returns, and its weights if they are wanted."""
    x = layer(*given, **named)
    return (x, layer.weights(*given, **named)) if weights else x


def torchs(layer, *given, weights=True, **named):
    """The same of torch's layer."""
    x, table = layer(*given, need_weights=weights, average_attn_weights=False, **named)
    return (x, table) if weights else x


# Against torch

@both_types
@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("weights", [True, False], ids=["weights", "no weights"])
@both_ways
def test_self_attention_equals_torchs(attend, weights, bias, dtype, close):
    @few
    @example((B, T, S, H, K), 0)
    @given(sizes, chances)
    def check(sizes, seed):
        B, T, _, H, K = sizes
        ours = make(H, H * K, dtype, seed, attend=attend, bias=bias)
        theirs = twin(ours)
        # with weights, torch's empty rows are nan
        allowed = random_mask(seed, B, T, T, empty_rows=not weights)
        hidden = for_each_head(hidden_mask(allowed), H)
        apart = differences(
            lambda x: answers(ours, x, allowed=allowed, weights=weights),
            lambda x: torchs(theirs, x, x, x, attn_mask=hidden, weights=weights),
            [draw(seed, B, T, H * K, dtype=dtype)], ours, theirs)
        assert apart.max() <= close
    check()


@both_types
@pytest.mark.parametrize("as_numbers", [False, True], ids=["boolean", "added"])
@pytest.mark.parametrize("weights", [True, False], ids=["weights", "no weights"])
@both_ways
def test_cross_attention_with_both_masks_equals_torchs(attend, weights, as_numbers,
                                                       dtype, close):
    @few
    @example((B, T, S, H, K), 0)
    @given(sizes, chances)
    def check(sizes, seed):
        B, T, S, H, K = sizes
        ours = make(H, H * K, dtype, seed, attend=attend)
        theirs = twin(ours)
        real = padding_mask(torch.randint(1, S + 1, (B,), generator=torch.Generator()
                                          .manual_seed(seed)), S)
        some = random_mask(seed, T, S)
        masks = [additive_mask(mask, dtype) if as_numbers else hidden_mask(mask)
                 for mask in (some, real)]
        allowed = some & real[:, None, :]
        apart = differences(
            lambda x, source: answers(ours, x, source, allowed, weights=weights),
            lambda x, source: torchs(theirs, x, source, source, attn_mask=masks[0],
                                     key_padding_mask=masks[1], weights=weights),
            [draw(seed, B, T, H * K, dtype=dtype),
             draw(seed + 1, B, S, H * K, dtype=dtype)], ours, theirs)
        assert apart.max() <= close
    check()


@both_types
@pytest.mark.parametrize("as_numbers", [False, True], ids=["boolean", "added"])
@both_ways
def test_a_source_of_pads_alone_equals_torchs(attend, as_numbers, dtype, close):
    ours, real = make(dtype=dtype, attend=attend), padding_mask(torch.tensor([0, 4]), S)
    theirs = twin(ours)
    pads = additive_mask(real, dtype) if as_numbers else hidden_mask(real)
    apart = differences(
        lambda x, source: ours(x, source, real[:, None, :]),
        lambda x, source: torchs(theirs, x, source, source, key_padding_mask=pads,
                                 weights=False),
        [draw(1, B, T, D, dtype=dtype), draw(2, B, S, D, dtype=dtype)], ours, theirs)
    assert apart.max() <= close


@pytest.mark.parametrize("allowed", [None, causal_mask(T),
                                     padding_mask(torch.tensor([3, 5]), T)[:, None, :]],
                         ids=["none", "[T, S]", "[B, 1, S]"])
def test_a_mask_of_any_shape_holds_for_all_heads(allowed):
    ours, x = make(), draw(1, B, T, D)
    full = (torch.ones(B, T, T, dtype=torch.bool)
            if allowed is None else allowed.broadcast_to(B, T, T))
    theirs = twin(ours)
    hidden = for_each_head(hidden_mask(full), H)
    apart = differences(lambda x: answers(ours, x, allowed=allowed),
                        lambda x: torchs(theirs, x, x, x, attn_mask=hidden),
                        [x], ours, theirs)
    assert apart.max() <= 1e-10


# Against loops

@few
@example((B, T, S, H, K), 0)
@given(sizes, chances)
def test_splitting_gives_each_head_its_columns_and_merging_undoes_it(sizes, seed):
    B, T, _, H, K = sizes
    x = draw(seed, B, T, H * K)
    parts = split_heads(x, H)
    assert parts.shape == (B, H, T, K)
    for h in range(H):
        assert torch.equal(parts[:, h], x[:, :, h * K:(h + 1) * K])
    assert torch.equal(merge_heads(parts), x)


@settings(max_examples=10, deadline=None)
@example((B, T, S, H, K), 0)
@example((1, 1, 1, 1, 1), 1)    # everything is hidden
@given(sizes, chances)
def test_heads_side_by_side_equal_one_head_at_a_time(sizes, seed):
    B, T, S, H, K = sizes
    allowed = random_mask(seed, B, T, S, empty_rows=True)

    def loop(x, source):
        weights, biases = (part.unflatten(0, (3, H, K))
                           for part in (theirs.in_proj_weight, theirs.in_proj_bias))
        sentences, tables = [], []
        for b in range(B):
            found = []
            for h in range(H):
                query, key, value = (
                    numbers @ weights[n, h].T + biases[n, h]
                    for n, numbers in enumerate((x[b], source[b], source[b])))
                # a gradient of 0, and not none, where all words may look nowhere
                nothing = 0 * (query @ key.T).sum()
                rows = []
                for t in range(T):
                    seen = [s for s in range(S) if allowed[b, t, s]]
                    powers = {s: (query[t] @ key[s] / math.sqrt(K)).exp() for s in seen}
                    total = sum(powers.values())
                    rows.append(torch.stack(
                        [powers[s] / total if s in powers else nothing
                         for s in range(S)]))
                tables.append(torch.stack(rows))
                found.append(torch.stack([sum(row[s] * value[s] for s in range(S))
                                          for row in rows]))
            sentences.append(torch.cat(found, dim=-1) @ theirs.out_proj.weight.T
                             + theirs.out_proj.bias)
        return torch.stack(sentences), torch.stack(tables).unflatten(0, (B, H))

    inputs = [draw(seed, B, T, H * K), draw(seed + 1, B, S, H * K)]
    for attend in (attention, sdpa):
        ours = make(H, H * K, seed=seed, attend=attend)
        theirs = twin(ours)    # keeps the same weights for the loop
        apart = differences(lambda *given: answers(ours, *given, allowed), loop, inputs,
                            ours, theirs)
        assert apart.max() <= 1e-10


# Keys and values, made once

def test_keys_and_values_made_once_serve_every_query():
    layer, x, source = make(), draw(1, B, T, D), draw(2, B, S, D)
    kept = layer.keys_and_values(source)
    steps = [layer.attend_to(x[:, t:t + 1], *kept) for t in range(T)]
    torch.testing.assert_close(torch.cat(steps, dim=1), layer(x, source))


@pytest.mark.parametrize("attend", [attention, sdpa, rotary,
                                    partial(rotary, attend=attention)],
                         ids=["attention", "fused", "rotary", "rotary attention"])
@pytest.mark.parametrize("size", [1, 2])
def test_keys_and_values_can_grow_word_by_word(size, attend):
    """What a cache does: a word asks the keys so far, and needs no mask; two words at
    once need one."""
    layer, x = make(attend=attend), draw(1, B, 6, D)
    keys, values, steps = [], [], []
    for t in range(0, 6, size):
        new = x[:, t:t + size]
        key, value = layer.keys_and_values(new)
        keys, values = keys + [key], values + [value]
        steps.append(layer.attend_to(
            new, torch.cat(keys, dim=2), torch.cat(values, dim=2),
            causal_mask(6)[t:t + size, :t + size]))
    torch.testing.assert_close(torch.cat(steps, dim=1),
                               layer(x, allowed=causal_mask(6)))


# Rotary positions

@few
@example((B, T, S, H, K), 0)
@given(sizes, chances)
def test_rotary_equals_a_formula_of_distances(sizes, seed):
    """The score of a query and a key s places further is the real part of q times the
    conjugate of k, turned by minus s: for each pair at its own speed."""
    B, T, S, H, W = sizes
    T, K = min(T, S), 2 * W
    allowed = random_mask(seed, B, 1, T, S, empty_rows=True)
    speeds = 10000 ** (-torch.arange(0, K, 2).double() / K)
    ahead = (torch.arange(S) - torch.arange(S - T, S)[:, None]).double()    # [T, S]

    def by_distance(query, key):
        q, k = (torch.view_as_complex(part.unflatten(-1, (-1, 2)))
                for part in (query, key))
        products = q[..., :, None, :] * k[..., None, :, :].conj()
        turns = torch.polar(torch.ones(W).double(), -ahead[..., None] * speeds)
        return (products * turns).real.sum(dim=-1) / math.sqrt(K)

    for attend in (attention, sdpa):
        apart = differences(
            lambda *given: rotary(*given, allowed, attend)[0],
            lambda *given: attention(*given, allowed, by_distance)[0],
            [draw(seed, B, H, T, K), draw(seed + 1, B, H, S, K),
             draw(seed + 2, B, H, S, 3)])
        # angles are float32, and hands are turned by up to 7
        assert apart.max() <= 1e-5


def test_rotary_turns_queries_and_keys_and_not_values():
    query, key, value, allowed = (draw(1, B, H, T, K), draw(2, B, H, S, K),
                                  draw(3, B, H, S, K), random_mask(1, B, 1, T, S))
    given = rotary(query, key, value, allowed, attend=lambda *given: given)
    wanted = rotate(query, torch.arange(S - T, S)), rotate(key, torch.arange(S))
    for mine, right in zip(given, (*wanted, value, allowed), strict=True):
        assert torch.equal(mine, right)
    assert min((given[0] - query).abs().max(), (given[1] - key).abs().max()) > 0.1
    context, weights = rotary(query, key, value, allowed, attend=attention)
    torch.testing.assert_close(rotary(query, key, value, allowed),
                               (context, None))    # fused, if no other is named
    torch.testing.assert_close(weights @ value, context)


def test_a_layer_with_rotary_positions_turns_what_it_projects():
    layer, x = make(attend=rotary), draw(1, B, T, D)
    query, (key, value) = layer.queries(x), layer.keys_and_values(x)
    turned = (rotate(part, torch.arange(T)) for part in (query, key))
    context, weights = attention(*turned, value, causal_mask(T))
    torch.testing.assert_close(layer(x, allowed=causal_mask(T)),
                               layer.out(merge_heads(context)))
    torch.testing.assert_close(layer.weights(x, allowed=causal_mask(T)), weights)


def test_only_distances_between_positions_count():
    """Forty hidden words in front move no word; a hidden word after each does."""
    layer, x = make(attend=rotary), draw(1, B, T, D)
    near = layer(x)

    def among(words, real):
        return layer(words, allowed=real[None, :])[:, real]

    far = among(torch.cat([draw(2, B, 40, D), x], dim=1), torch.arange(40 + T) >= 40)
    torch.testing.assert_close(near, far, rtol=0, atol=1e-5)
    between = torch.stack([x, draw(2, B, T, D)], dim=2).flatten(1, 2)
    assert (near - among(between, torch.arange(2 * T) % 2 == 0)).abs().max() > 0.001


# Rows that may look nowhere

@both_ways
def test_a_word_that_may_look_nowhere_gets_the_bias_alone_and_finite_gradients(attend):
    layer, x = make(attend=attend), draw(1, B, T, D).requires_grad_()
    allowed = random_mask(1, B, T, T)
    allowed[0] = allowed[1, 2] = False
    empty = ~allowed.any(dim=-1)
    with torch.autograd.set_detect_anomaly(True):
        answer, weights = answers(layer, x, allowed=allowed)
        (answer.square().sum() + weights.square().sum()).backward()
    assert torch.equal(answer[empty], layer.out.bias.expand(int(empty.sum()), D))
    assert weights.transpose(1, 2)[empty].count_nonzero() == 0
    assert all(part.grad.isfinite().all() for part in (x, *layer.parameters()))
    assert x.grad[0].count_nonzero() == 0 and x.grad[1, 0].abs().min() > 0


# The function that attends

def test_the_function_that_attends_is_the_one_that_was_given():
    calls = []

    def first_key(query, key, value, allowed=None):
        calls.append([tuple(query.shape), tuple(key.shape), tuple(value.shape),
                      tuple(allowed.shape)])
        weights = torch.zeros(*query.shape[:-1], key.shape[-2], dtype=query.dtype)
        weights[..., 0] = 1
        return weights @ value, weights

    layer, x, source = make(attend=first_key), draw(1, B, T, D), draw(2, B, S, D)
    allowed = torch.ones(T, S, dtype=torch.bool)
    wanted = layer.out(layer.value(source[:, :1])).expand(B, T, D)
    torch.testing.assert_close(layer(x, source, allowed), wanted)
    assert calls == [[(B, H, T, K), (B, H, S, K), (B, H, S, K), (1, T, S)]]
    weights = layer.weights(x, source, allowed)
    assert torch.equal(weights, torch.eye(S)[0].double().expand(B, H, T, S))
    assert calls[1] == [(B, H, T, K), (B, H, S, K), (B, H, S, S), (1, T, S)]


def test_another_function_can_take_its_place():
    layer, x = make(), draw(1, B, T, D)
    assert layer.attend is sdpa
    layer.attend = lambda query, key, value, allowed: (torch.zeros_like(query), None)
    assert torch.equal(layer(x), layer.out.bias.expand(B, T, D))


def test_a_score_that_learns_can_attend_and_keeps_its_gradient():
    torch.manual_seed(0)
    score = General(K, K).double()
    layer = make(attend=lambda *given: attention(*given, score))
    layer(draw(1, B, T, D)).square().sum().backward()
    assert score.query_layer.weight.grad.abs().max() > 0


@pytest.mark.parametrize("attend, same", [
    (attention, attention), (sdpa, attention),
    (rotary, partial(rotary, attend=attention))], ids=["attention", "fused", "rotary"])
def test_weights_are_those_of_explicit_attention(attend, same):
    layer, x, source = make(attend=attend), draw(1, B, T, D), draw(2, B, S, D)
    for source, allowed in ((None, causal_mask(T)), (None, None),
                            (source, random_mask(3, B, T, S, empty_rows=True))):
        key, value = layer.keys_and_values(x if source is None else source)
        mask = None if allowed is None else allowed.unsqueeze(-3)
        context, wanted = same(layer.queries(x), key, value, mask)
        weights = layer.weights(x, source, allowed)
        torch.testing.assert_close(weights, wanted)
        torch.testing.assert_close(weights @ value, context)
        if allowed is not None:
            assert (weights.masked_fill(mask, 0) == 0).all()
            torch.testing.assert_close(weights.sum(dim=-1),
                                       mask.any(dim=-1).double().expand(B, H, T))


# Sizes

@pytest.mark.parametrize("width, heads", [(12, 5), (10, 3), (3, 4), (12, 0)])
def test_heads_that_cannot_share_the_width_are_refused_in_one_sentence(width, heads):
    with pytest.raises(ValueError) as refusal:
        MultiHeadAttention(width, heads)
    assert str(refusal.value) == ("width must be a multiple of heads; "
                                  f"got width {width} and {heads} heads")


def test_heads_of_odd_width_cannot_be_turned():
    with pytest.raises(ValueError, match="width must be even; got 3"):
        make(heads=4, attend=rotary)(draw(1, B, T, D))


def test_the_number_of_weights_does_not_depend_on_the_heads():
    for heads in (1, 3, 12):
        assert (sum(part.numel() for part in MultiHeadAttention(12, heads).parameters())
                == 4 * (12 * 12 + 12))
        assert sum(part.numel() for part in MultiHeadAttention(12, heads, bias=False)
                   .parameters()) == 4 * 12 * 12
    assert {name for name, _ in make(bias=False).named_parameters()} == {
        "query.weight", "key.weight", "value.weight", "out.weight"}


def test_every_tensor_is_made_where_the_words_are():
    layer, x = make(attend=rotary).to("meta"), draw(1, B, T, D).to("meta")
    assert layer(x).is_meta and layer.weights(x).is_meta


@pytest.mark.parametrize("dtype, close",
                         [(torch.float16, 0.01), (torch.bfloat16, 0.08)])
@both_ways
def test_half_precision_is_near_and_finite(attend, dtype, close):
    layer = make(dtype=torch.float32, attend=partial(rotary, attend=attend))
    x, allowed = draw(1, B, T, D, dtype=torch.float32), random_mask(1, B, T, T)
    allowed[0, 2] = False
    wanted = answers(layer, x, allowed=allowed)
    layer, x = layer.to(dtype), x.to(dtype).requires_grad_()
    answer, weights = answers(layer, x, allowed=allowed)
    assert answer.dtype == weights.dtype == dtype
    for one, other in zip((answer, weights), wanted):
        torch.testing.assert_close(one.float(), other, rtol=0, atol=close)
    assert weights.masked_fill(allowed[:, None], 0).count_nonzero() == 0
    answer.float().square().sum().backward()
    assert all(part.grad.isfinite().all() for part in (x, *layer.parameters()))
