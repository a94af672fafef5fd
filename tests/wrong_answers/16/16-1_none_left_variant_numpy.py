import numpy


def paired(first, second, draws):
    """Returns how much better the second is, and both ends of the interval."""
    gains = 100 * (numpy.array(second) - numpy.array(first))
    left_out = len(draws) // 40
    kept = numpy.sort(gains[numpy.array(draws)].mean(axis=1))[left_out:-left_out]
    return gains.mean(), kept.min(), kept.max()
