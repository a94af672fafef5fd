"""masks: True means "may look"."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from softdict.masks import padding_mask

few = settings(max_examples=30, deadline=None)


@few
@given(st.lists(st.integers(0, 9), min_size=1), st.integers(9, 12))
def test_padding_mask_equals_a_loop(lengths, size):
    allowed = padding_mask(torch.tensor(lengths), size)
    assert allowed.dtype == torch.bool
    assert allowed.tolist() == [[position < length for position in range(size)] for length in lengths]


def test_true_means_may_look():
    assert padding_mask(torch.tensor([2, 3]), 3).tolist() == [[True, True, False], [True, True, True]]
