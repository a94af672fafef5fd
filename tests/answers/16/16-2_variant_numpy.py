import itertools

import numpy


def by_luck(first, second):
    """Returns the share of choices that put the two means at least as far apart."""
    scores = numpy.array([*first, *second])
    ways = numpy.array(list(itertools.combinations(range(len(scores)), len(first))))
    ones = scores[ways].sum(axis=1)
    apart = numpy.abs(ones / len(first) - (scores.sum() - ones) / len(second))
    return (apart >= abs(numpy.mean(first) - numpy.mean(second)) - 1e-9).mean()
