"""masks: True means "may look"; the same as torch's modules want it, where True hides
or minus infinity is added."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from softdict.attention import masked_softmax
from softdict.masks import (
    additive_mask, causal_mask, causal_padding_mask, hidden_mask, padding_mask)

few = settings(max_examples=30, deadline=None)


@few
@given(st.lists(st.integers(0, 9), min_size=1), st.integers(9, 12))
def test_padding_mask_equals_a_loop(lengths, size):
    allowed = padding_mask(torch.tensor(lengths), size)
    assert allowed.dtype == torch.bool
    assert allowed.tolist() == [[position < length for position in range(size)]
                                for length in lengths]


def test_true_means_may_look():
    assert (padding_mask(torch.tensor([2, 3]), 3).tolist()
            == [[True, True, False], [True, True, True]])


@few
@given(st.integers(1, 12))
def test_causal_mask_equals_a_loop(size):
    allowed = causal_mask(size)
    assert allowed.dtype == torch.bool
    assert allowed.tolist() == [[source <= target for source in range(size)]
                                for target in range(size)]


@few
@given(st.lists(st.integers(0, 9), min_size=1), st.integers(9, 12))
def test_both_rules_together_equal_a_loop(lengths, size):
    allowed = causal_padding_mask(torch.tensor(lengths), size)
    assert (allowed.tolist()
            == [[[source <= target and source < length for source in range(size)]
                 for target in range(size)] for length in lengths])


def test_the_first_word_looks_at_itself_and_the_last_at_all():
    assert causal_mask(1).tolist() == [[True]]
    assert causal_mask(3).tolist() == [[True, False, False], [True, True, False],
                                       [True, True, True]]
    assert causal_padding_mask(torch.tensor([2]), 3).tolist() == [
        [[True, False, False], [True, True, False], [True, True, False]]]


@few
@given(st.integers(1, 5), st.integers(1, 7), st.integers(0, 10_000))
def test_the_other_two_ways_to_write_a_mask(rows, columns, seed):
    allowed = (torch.rand(rows, columns, generator=torch.Generator().manual_seed(seed))
               < 0.5)
    hidden, numbers = hidden_mask(allowed), additive_mask(allowed)
    for t in range(rows):
        for s in range(columns):
            assert hidden[t, s].item() == (not allowed[t, s])
            assert numbers[t, s].item() == (0 if allowed[t, s] else -math.inf)


def test_torch_writes_the_causal_mask_as_numbers():
    theirs = nn.Transformer.generate_square_subsequent_mask(5)
    assert torch.equal(additive_mask(causal_mask(5)), theirs)
    assert torch.equal(hidden_mask(causal_mask(5)), theirs.isinf())


@pytest.mark.parametrize("dtype",
                         [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_added_numbers_take_the_type_of_the_scores_and_hide_exactly(dtype):
    allowed = causal_mask(4)
    numbers = additive_mask(allowed, dtype)
    assert numbers.dtype == dtype and not numbers.isnan().any()
    scores = torch.linspace(-300, 300, 16, dtype=torch.float64).reshape(4, 4).to(dtype)
    weights = (scores + numbers).softmax(dim=-1)
    assert (weights[~allowed] == 0).all()
    torch.testing.assert_close(weights, masked_softmax(scores, allowed), rtol=0,
                               atol=1e-2)
