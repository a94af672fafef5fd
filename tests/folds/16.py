"""Chapter 16: the code of *In short* against softdict.scoring.estimate, same draws.

It has no gradients: the difference and both ends of its interval must be equal.
"""

from unittest import mock

import pytest
from softdict.scoring import estimate


def compare(names):
    first, second = names["first"].numpy(), names["second"].numpy()

    def difference(numbers):
        return 100 * (second[numbers].mean() - first[numbers].mean())

    with mock.patch("numpy.random.default_rng") as rng:
        rng.return_value.integers.return_value = names["draws"].numpy()
        theirs = estimate(difference, 200, 1000)
    wanted = [theirs.value, theirs.low, theirs.high]
    assert [one.item() for one in names["value"]] == pytest.approx(wanted, abs=1e-3)
