import numpy


def paired(first, second, draws):
    """Returns how much better the second is, and both ends of the interval."""
    first, second = numpy.array(first), numpy.array(second)
    found = [100 * (second[draw].mean() - first[draw].mean()) for draw in draws]
    low, high = numpy.quantile(found, [0.025, 0.975])
    return 100 * (second.mean() - first.mean()), low, high
