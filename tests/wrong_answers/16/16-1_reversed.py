def paired(first, second, draws):
    """Returns how much better the second is, and both ends of the interval."""
    gains = [100 * (one - other) for one, other in zip(first, second)]
    found = sorted(sum(gains[n] for n in draw) / len(draw) for draw in draws)
    k = len(draws) // 40
    return sum(gains) / len(gains), found[k], found[-k - 1]
