"""Scores that fall with distance: `nearer` against a loop over heads, queries and keys,
and which way its slopes lead."""

import math

import pytest
import torch
from copied import differences, draw
from hypothesis import example, given, settings
from hypothesis import strategies as st

from softdict.experiments.endings import nearer
from softdict.heads import MultiHeadAttention

B, H, T, K = 2, 4, 6, 3
# B, H, T, K
sizes = st.tuples(*(st.integers(1, most) for most in (3, 5, 6, 4)))


def by_loop(query, key, value, allowed):
    """Weight of key s for query t of head h: share of exp(scaled dot - distance / 2^h),
    with heads counted from 1."""
    B, H, T, K = query.shape
    told = allowed.expand(B, H, T, T)
    weights = torch.zeros(B, H, T, T, dtype=query.dtype)
    for b in range(B):
        for h in range(H):
            for t in range(T):
                seen = [s for s in range(T) if told[b, h, t, s]]
                powers = [(query[b, h, t] @ key[b, h, s] / math.sqrt(K)
                           - abs(t - s) / 2 ** (h + 1)).exp() for s in seen]
                for s, power in zip(seen, powers):
                    weights[b, h, t, s] = power / sum(powers)
    return weights @ value, weights


@settings(max_examples=20, deadline=None, derandomize=True)
@example((B, H, T, K), 0)
@given(sizes, st.integers(0, 10_000))
def test_nearer_equals_a_loop_values_and_gradients(sizes, seed):
    B, H, T, K = sizes
    allowed = (torch.rand(B, 1, T, T, generator=torch.Generator().manual_seed(seed))
               < 0.6)
    allowed[:, :, :, 0] = True
    apart = differences(lambda *given: nearer(*given, allowed),
                        lambda *given: by_loop(*given, allowed),
                        [draw(seed + n, B, H, T, K) for n in range(3)])
    assert apart.max() <= 1e-10


def alike(size, heads=H, dtype=torch.float64):
    """Queries, keys and values of words that are all the same."""
    return torch.ones(1, heads, size, K, dtype=dtype)


@pytest.mark.parametrize("heads", [1, 4, 8])
def test_of_equal_words_the_nearer_weighs_more_in_every_head_on_both_sides(heads):
    x = alike(9, heads)
    weights = nearer(x, x, x)[1][0]    # [H, T, T]
    for t in range(9):
        behind, before = weights[:, t, t:], weights[:, t, :t + 1].flip(-1)
        for side in (behind, before):    # from the word itself outwards
            assert (side[:, 1:] < side[:, :-1]).all()
        near = min(behind.shape[-1], before.shape[-1])
        torch.testing.assert_close(behind[:, :near], before[:, :near])


def test_each_step_away_divides_the_weight_by_a_factor_of_the_head():
    x = alike(9)
    weights = nearer(x, x, x)[1][0]    # [H, T, T]
    for h, slope in enumerate((1 / 2, 1 / 4, 1 / 8, 1 / 16)):
        shares = weights[h, 0, 1:] / weights[h, 0, :-1]
        torch.testing.assert_close(shares, torch.full_like(shares, math.exp(-slope)))
    # the first head looks nearest, the last one farthest
    assert (weights[1:, :, :].diagonal(dim1=1, dim2=2)
            < weights[:-1, :, :].diagonal(dim1=1, dim2=2)).all()


def test_what_is_hidden_weighs_nothing_and_moves_no_distance():
    x, allowed = alike(6), torch.tensor([True, False, False, True, True, False])
    weights = nearer(x, x, x, allowed.expand(1, 1, 6, 6))[1][0]
    assert weights[:, :, ~allowed].count_nonzero() == 0
    torch.testing.assert_close(weights[0, 0, 3] / weights[0, 0, 0],
                               torch.tensor(math.exp(-3 / 2)).double())


def test_a_layer_that_attends_so_tells_near_from_far_and_not_before_from_behind():
    torch.manual_seed(0)
    layer, x = MultiHeadAttention(12, 3, attend=nearer).double(), draw(0, B, T, 12)
    torch.testing.assert_close(layer(x.flip(1)).flip(1), layer(x))
    rolled = layer(x.roll(1, dims=1)).roll(-1, dims=1)
    assert (rolled - layer(x)).abs().max() > 0.001
    assert nearer(*(x[:, None] for x in draw(1, 3, B, T, 4).float()))[0].dtype == (
        torch.float32)
