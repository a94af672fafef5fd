def paired(first, second, draws):
    """Returns how much better the second is, and both ends of the interval."""
    ends, k = [], len(draws) // 40
    for flags in (first, second):
        found = sorted(100 * sum(flags[n] for n in draw) / len(draw) for draw in draws)
        ends.append((found[k], found[-k - 1]))
    (low, high), (other_low, other_high) = ends
    return (100 * (sum(second) - sum(first)) / len(first),
            other_low - high, other_high - low)
