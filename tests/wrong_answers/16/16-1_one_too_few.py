def paired(first, second, draws):
    """Returns how much better the second is, and both ends of the interval."""
    n = len(first)
    gain = 100 * (sum(second) - sum(first)) / n
    found = sorted(100 * sum(second[i] - first[i] for i in d) / n for d in draws)
    cut = len(draws) // 40
    return gain, found[cut], found[-cut]
