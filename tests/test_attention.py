"""attention: each score against its formula in plain loops, the lookup against torch's
own, values and gradients."""

import math

import pytest
import torch
import torch.nn.functional as F
from copied import differences, draw
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import nn

from softdict.attention import (
    Additive, General, SelfAttention, attention, dot, masked_softmax, scaled_dot, sdpa)

B, T, S, D = 2, 5, 7, 6
Q, K = 12, 9    # widths of a query and of a key where they differ


def make(*shape, dtype=torch.float64, seed=0):
    chance = torch.Generator().manual_seed(seed + sum(shape))
    return torch.randn(shape, generator=chance,
                       dtype=torch.float64).to(dtype).requires_grad_()


def make_score(score, *widths):
    torch.manual_seed(1)
    return score(*widths).double()


# The scores

def dot_by_loop(score, query, key):
    return sum(query[k] * key[k] for k in range(len(query)))


def scaled_by_loop(score, query, key):
    return dot_by_loop(score, query, key) / math.sqrt(len(query))


def general_by_loop(score, query, key):
    W = score.query_layer.weight
    return sum(key[a] * W[a, b] * query[b] for a in range(len(key))
               for b in range(len(query)))


def additive_by_loop(score, query, key):
    W, v = score.query_layer.weight, score.energy_layer.weight[0]
    return sum(v[a] * torch.tanh(sum(W[a, b] * query[b] for b in range(len(query)))
                                 + key[a]) for a in range(len(key)))


SCORES = [(lambda: dot, Q, dot_by_loop), (lambda: scaled_dot, Q, scaled_by_loop),
          (lambda: make_score(General, Q, K), K, general_by_loop),
          (lambda: make_score(Additive, Q, K), K, additive_by_loop)]
NAMES = ["dot", "scaled_dot", "General", "Additive"]


@pytest.mark.parametrize("make_one, width, by_loop", SCORES, ids=NAMES)
def test_a_score_equals_its_formula_values_and_gradients(make_one, width, by_loop):
    score = make_one()
    parts = [make(B, T, Q), make(B, S, width),
             *(score.parameters() if isinstance(score, nn.Module) else [])]
    query, key = parts[:2]
    left = score(query, key)
    right = torch.stack([torch.stack(
        [torch.stack([by_loop(score, query[b, t], key[b, s]) for s in range(S)])
         for t in range(T)]) for b in range(B)])
    torch.testing.assert_close(left, right, rtol=0, atol=1e-12)
    above = make(B, T, S, seed=5).detach()
    for mine, loop in zip(torch.autograd.grad(left, parts, above),
                          torch.autograd.grad(right, parts, above)):
        torch.testing.assert_close(mine, loop, rtol=0, atol=1e-10)
        assert mine.abs().min() > 0


@pytest.mark.parametrize("make_one, width, by_loop", SCORES, ids=NAMES)
def test_a_score_takes_any_leading_axes(make_one, width, by_loop):
    score, query, key = make_one(), make(B, 3, T, Q), make(B, 3, S, width)
    assert score(query, key).shape == (B, 3, T, S)
    torch.testing.assert_close(score(query, key)[1, 2], score(query[1, 2], key[1, 2]))
    torch.testing.assert_close(score(query, key[:, :1])[1, 2],
                               score(query[1, 2], key[1, 0]))


def test_no_score_that_learns_has_a_bias():
    assert ([name for name, _ in make_score(General, Q, K).named_parameters()]
            == ["query_layer.weight"])
    assert ([name for name, _ in make_score(Additive, Q, K).named_parameters()]
            == ["query_layer.weight", "energy_layer.weight"])


def test_general_on_the_key_is_a_projection_of_the_keys_and_a_dot_product():
    general, query, key = make_score(General, Q, K), make(B, T, Q), make(B, S, K)
    project = nn.Linear(K, Q, bias=False).double()
    with torch.no_grad():
        project.weight.copy_(general.query_layer.weight.T)
    torch.testing.assert_close(dot(query, project(key)), general(query, key))


def test_additive_is_luongs_concat_with_the_matrix_cut_in_two():
    additive, project = make_score(Additive, Q, D), nn.Linear(K, D, bias=False).double()
    query, key = make(B, T, Q), make(B, S, K)
    both = torch.cat([query[:, :, None].expand(B, T, S, Q),
                      key[:, None].expand(B, T, S, K)], dim=-1)
    joined = torch.cat([additive.query_layer.weight, project.weight], dim=1)
    by_concat = (both @ joined.T).tanh() @ additive.energy_layer.weight[0]
    torch.testing.assert_close(additive(query, project(key)), by_concat)


def test_scaling_keeps_the_spread_of_scores_where_it_is():
    for width in (4, 64, 1024):
        query, key = make(200, width), make(300, width, seed=7)
        assert 0.9 < scaled_dot(query, key).std() < 1.1
        assert 0.9 < dot(query, key).std() / width ** 0.5 < 1.1


# The lookup

def masks():
    chance = torch.Generator().manual_seed(2)
    some = torch.rand(B, T, S, generator=chance) < 0.6
    some[:, :, 0] = True
    lonely = some.clone()
    lonely[0, 2] = lonely[1, 0] = lonely[1, 4] = False
    padding = torch.arange(S) < torch.tensor([4, 7])[:, None]
    return {"none": None, "some": some, "lonely": lonely, "padding": padding[:, None],
            "for all sentences": some[0],
            "an empty sentence": (torch.arange(S)
                                  < torch.tensor([0, 3])[:, None])[:, None],
            "one row": some[0, :1], "one column": lonely[:, :, 1:2]}


every_mask = pytest.mark.parametrize("allowed", masks().values(), ids=masks())


@every_mask
@pytest.mark.parametrize("dtype, close",
                         [(torch.float64, 1e-10), (torch.float32, 1e-5)])
def test_attention_equals_torchs_values_and_gradients(allowed, dtype, close):
    parts = [make(B, T, Q, dtype=dtype), make(B, S, Q, dtype=dtype),
             make(B, S, D, dtype=dtype)]
    ours, _ = attention(*parts, allowed)
    mask = allowed if allowed is None else allowed.broadcast_to(B, T, S)
    theirs = F.scaled_dot_product_attention(*parts, attn_mask=mask)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=close)
    above = make(B, T, D, dtype=dtype, seed=5).detach()
    for mine, yours in zip(torch.autograd.grad(ours, parts, above),
                           torch.autograd.grad(theirs, parts, above)):
        torch.testing.assert_close(mine, yours, rtol=0, atol=close)


@every_mask
def test_attention_equals_a_loop(allowed):
    query, key, value = (make(B, T, Q).detach(), make(B, S, Q).detach(),
                         make(B, S, D).detach())
    context, weights = attention(query, key, value, allowed)
    told = (torch.ones(B, T, S, dtype=torch.bool)
            if allowed is None else allowed.broadcast_to(B, T, S))
    for b in range(B):
        for t in range(T):
            powers = {s: math.exp(scaled_by_loop(None, query[b, t], key[b, s]))
                      for s in range(S) if told[b, t, s]}
            shares = [powers.get(s, 0.0) / sum(powers.values()) if powers else 0.0
                      for s in range(S)]
            torch.testing.assert_close(weights[b, t].tolist(), shares, rtol=0,
                                       atol=1e-12)
            answer = sum(share * value[b, s] for s, share in enumerate(shares))
            torch.testing.assert_close(context[b, t], answer, rtol=0, atol=1e-12)


def test_heads_are_leading_axes():
    query, key, value = make(B, 3, T, Q), make(B, 3, S, Q), make(B, 3, S, D)
    allowed = masks()["lonely"][:, None]
    context, weights = attention(query, key, value, allowed)
    torch.testing.assert_close(
        context, F.scaled_dot_product_attention(query, key, value, attn_mask=allowed))
    assert weights.shape == (B, 3, T, S)


@every_mask
def test_rows_add_up_to_one_or_are_all_zero_and_hidden_keys_weigh_exactly_nothing(
        allowed):
    _, weights = attention(make(B, T, Q), make(B, S, Q), make(B, S, D), allowed)
    told = (torch.ones(B, T, S, dtype=torch.bool)
            if allowed is None else allowed.broadcast_to(B, T, S))
    torch.testing.assert_close(weights.sum(dim=-1), told.any(dim=-1).double())
    assert torch.equal(weights > 0, told)


def test_what_is_hidden_has_no_influence():
    query, key, value, allowed = (make(B, T, Q), make(B, S, Q), make(B, S, D),
                                  masks()["padding"])
    before = attention(query, key, value, allowed)
    with torch.no_grad():
        key[0, 4:], value[0, 4:] = 1e6, -1e6
    after = attention(query, key, value, allowed)
    assert all(torch.equal(one, two) for one, two in zip(before, after))


@pytest.mark.parametrize("make_one, width, by_loop", SCORES, ids=NAMES)
def test_a_row_that_may_look_nowhere_gives_zeros_and_finite_gradients(
        make_one, width, by_loop):
    score = make_one()
    parts = [make(B, T, Q), make(B, S, width), make(B, S, D),
             *(score.parameters() if isinstance(score, nn.Module) else [])]
    with torch.autograd.set_detect_anomaly(True):
        context, weights = attention(*parts[:3], masks()["lonely"], score)
        gradients = torch.autograd.grad(context.square().sum() + weights.square().sum(),
                                        parts)
    assert context[0, 2].count_nonzero() == weights[0, 2].count_nonzero() == 0
    assert all(gradient.isfinite().all() for gradient in gradients)
    assert (gradients[0][0, 2].count_nonzero() == 0
            and gradients[0][0, 1].abs().min() > 0)


def test_a_hidden_row_changes_no_other_row():
    query, key, value = make(B, T, Q), make(B, S, Q), make(B, S, D)
    some, lonely = masks()["some"], masks()["lonely"]
    seen = lonely.any(dim=-1)
    for one, two in zip(attention(query, key, value, some),
                        attention(query, key, value, lonely)):
        assert torch.equal(one[seen], two[seen])


def test_no_argument_is_changed():
    given = [make(B, T, Q).detach(), make(B, S, Q).detach(), make(B, S, D).detach(),
             masks()["lonely"]]
    kept = [part.clone() for part in given]
    attention(*given)
    assert all(torch.equal(one, two) for one, two in zip(given, kept))


def test_the_score_is_any_function():
    query, key, value = make(B, T, Q), make(B, S, Q), make(B, S, D)
    context, weights = attention(
        query, key, value,
        score=lambda query, key: torch.zeros(B, T, S, dtype=query.dtype))
    torch.testing.assert_close(weights, torch.full_like(weights, 1 / S))
    torch.testing.assert_close(context,
                               value.mean(dim=1, keepdim=True).expand_as(context))


@pytest.mark.parametrize("shape", [(4, 7), (B, T, S - 1), (3, T, S), (B, S),
                                   (1, B, T, S), (T, 1, S)])
def test_a_mask_that_does_not_fit_is_refused_in_one_sentence(shape):
    with pytest.raises(ValueError) as refusal:
        attention(make(B, T, Q), make(B, S, Q), make(B, S, D),
                  torch.ones(shape, dtype=torch.bool))
    assert (str(refusal.value)
            == ("allowed must be [..., T, S] and fit scores of [2, 5, 7]; "
                f"got {list(shape)}"))


@pytest.mark.parametrize("numbers",
                         [torch.ones(T, S), torch.ones(T, S, dtype=torch.long)])
def test_a_mask_of_numbers_is_refused(numbers):
    with pytest.raises((TypeError, RuntimeError)):
        attention(make(B, T, Q), make(B, S, Q), make(B, S, D), numbers)


# One operation

@every_mask
@pytest.mark.parametrize("dtype, close",
                         [(torch.float64, 1e-10), (torch.float32, 1e-5)])
def test_fused_equals_attention_values_and_gradients(allowed, dtype, close):
    """Rows that may look nowhere too: zeros and no gradient in both."""
    apart = differences(lambda *parts: sdpa(*parts, allowed)[0],
                        lambda *parts: attention(*parts, allowed)[0],
                        [make(B, T, Q, dtype=dtype), make(B, S, Q, dtype=dtype),
                         make(B, S, D, dtype=dtype)])
    assert apart.max() <= close


@settings(max_examples=30, deadline=None)
@example((B, 3, T, S, 4, D), 0)
@given(st.tuples(*(st.integers(1, most) for most in (3, 3, 6, 7, 9, 5))),
       st.integers(0, 10_000))
def test_fused_equals_attention_for_any_sizes_heads_and_masks(sizes, seed):
    B, H, T, S, K, D = sizes
    allowed = (torch.rand(B, 1, T, S, generator=torch.Generator().manual_seed(seed))
               < 0.4)
    apart = differences(lambda *parts: sdpa(*parts, allowed)[0],
                        lambda *parts: attention(*parts, allowed)[0],
                        [draw(seed, B, H, T, K), draw(seed + 1, B, H, S, K),
                         draw(seed + 2, B, H, S, D)])
    assert apart.max() <= 1e-10


def test_fused_gives_zeros_where_nothing_may_be_looked_at_and_keeps_no_weights():
    parts, allowed = [make(B, T, Q), make(B, S, Q), make(B, S, D)], masks()["lonely"]
    context, weights = sdpa(*parts, allowed)
    assert weights is None
    assert context[0, 2].count_nonzero() == 0 and context[0, 1].abs().min() > 0
    assert all(gradient.isfinite().all()
               for gradient in torch.autograd.grad(context.square().sum(), parts))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_fused_is_near_and_finite_in_half_precision(dtype):
    parts, allowed = [make(B, T, Q), make(B, S, Q), make(B, S, D)], masks()["lonely"]
    halves = [part.detach().to(dtype).requires_grad_() for part in parts]
    context, _ = sdpa(*halves, allowed)
    assert context.dtype == dtype
    torch.testing.assert_close(context.double(), attention(*parts, allowed)[0], rtol=0,
                               atol=0.05)
    gradients = torch.autograd.grad(context.float().square().sum(), halves)
    assert all(gradient.isfinite().all() for gradient in gradients)


# Half precision

@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", ["none", "lonely"])
@pytest.mark.parametrize("make_one, width, by_loop", SCORES, ids=NAMES)
def test_half_precision_is_near_and_finite(make_one, width, by_loop, name, dtype):
    score, allowed = make_one(), masks()[name]
    parts = [make(B, T, Q), make(B, S, width), make(B, S, D)]
    wanted = attention(*parts, allowed, score)
    score = score.to(dtype) if isinstance(score, nn.Module) else score
    halves = [part.detach().to(dtype).requires_grad_() for part in parts]
    context, weights = attention(*halves, allowed, score)
    assert context.dtype == weights.dtype == dtype
    for one, two in zip((context, weights), wanted):
        torch.testing.assert_close(one.double(), two, rtol=0, atol=0.05)
    gradients = torch.autograd.grad(context.float().square().sum(), halves)
    assert all(gradient.isfinite().all() for gradient in gradients)
    assert allowed is None or (weights[~allowed] == 0).all()


def test_scores_that_float16_cannot_hold_are_scaled_first():
    query, key = (torch.full((1, 64), 60.0, dtype=torch.float16),
                  torch.full((1, 64), 60.0, dtype=torch.float16))
    assert dot(query, key).isinf().all()
    assert scaled_dot(query, key).item() == 64 * 60 * 60 / 8


def test_masked_softmax_survives_scores_of_any_size():
    scores = torch.tensor([[1e30, -1e30, 0.0], [-1e38, -1e38, -1e38], [5.0, 0.0, 0.0]])
    weights = masked_softmax(scores, torch.tensor([[False, True, False],
                                                   [True, True, False], [False] * 3]))
    assert weights.tolist() == [[0, 1, 0], [0.5, 0.5, 0], [0, 0, 0]]


# Self-attention

def make_layer(width=12, key_width=9):
    torch.manual_seed(2)
    return SelfAttention(width, key_width).double()


def test_self_attention_equals_loops_values_and_gradients():
    layer, x = make_layer(), make(B, T, 12)
    new, weights = layer(x)
    W_Q, W_K, W_V = (part.weight.T for part in (layer.query, layer.key, layer.value))
    rows = []
    for b in range(B):
        for t in range(T):
            scores = [sum((x[b, t] @ W_Q)[k] * (x[b, s] @ W_K)[k]
                          for k in range(9)) / 3 for s in range(T)]
            powers = [score.exp() for score in scores]
            rows.append(sum(power / sum(powers) * (x[b, s] @ W_V)
                            for s, power in enumerate(powers)))
    loops = torch.stack(rows).unflatten(0, (B, T))
    torch.testing.assert_close(new, loops, rtol=0, atol=1e-12)
    parts, above = [x, *layer.parameters()], make(B, T, 12, seed=5).detach()
    for mine, loop in zip(torch.autograd.grad(new, parts, above),
                          torch.autograd.grad(loops, parts, above)):
        torch.testing.assert_close(mine, loop, rtol=0, atol=1e-10)
        assert mine.abs().max() > 0
    assert weights.shape == (B, T, T)


def test_self_attention_equals_torch_with_any_mask_values_and_gradients():
    layer, x = make_layer(), make(B, T, 12)
    allowed = torch.rand(B, T, T, generator=torch.Generator().manual_seed(0)) > 0.4
    allowed[1, 3] = False    # a word that may look at nothing
    new, weights = layer(x, allowed)
    theirs = F.scaled_dot_product_attention(layer.query(x), layer.key(x),
                                            layer.value(x), allowed)
    torch.testing.assert_close(new, theirs, rtol=0, atol=1e-10)
    assert (weights[~allowed] == 0).all() and (new[1, 3] == 0).all()
    parts, above = [x, *layer.parameters()], make(B, T, 12, seed=5).detach()
    for mine, torchs in zip(torch.autograd.grad(new, parts, above),
                            torch.autograd.grad(theirs, parts, above)):
        torch.testing.assert_close(mine, torchs, rtol=0, atol=1e-10)


def test_shuffled_words_give_shuffled_answers():
    layer, x = make_layer(), make(B, 7, 12)
    order = torch.randperm(7, generator=torch.Generator().manual_seed(3))
    new, weights = layer(x)
    again, table = layer(x[:, order])
    torch.testing.assert_close(again, new[:, order])
    torch.testing.assert_close(table, weights[:, order][:, :, order])


def test_self_attention_reads_one_sentence_and_no_pads():
    layer, x = make_layer(), make(B, 7, 12)
    allowed = (torch.arange(7) < torch.tensor([[7], [4]]))[:, None]    # [B, 1, S]
    new, _ = layer(x, allowed)
    torch.testing.assert_close(new[0], layer(x[:1])[0][0])
    torch.testing.assert_close(new[1, :4], layer(x[1:, :4])[0][0])


def test_query_key_and_value_are_three_projections_without_bias():
    layer = SelfAttention(12, 9)
    assert {name: tuple(part.shape) for name, part in layer.named_parameters()} == {
        "query.weight": (9, 12), "key.weight": (9, 12), "value.weight": (12, 12)}
    assert SelfAttention(12).query.weight.shape == (12, 12)


def test_fused_refuses_a_mask_of_numbers():
    """torch would add 1 to the scores of what may be seen, and 0 to the rest: nearly
    nothing would be hidden."""
    x = torch.randn(2, 3, 4)
    with pytest.raises(ValueError,
                       match="allowed must be True or False; got torch.float32"):
        sdpa(x, x, x, torch.ones(3, 3).tril())
