def paired(first, second, draws):
    """Returns how much better the second is, and both ends of the interval."""
    found = sorted(100 * (sum(second[n] for n in other) - sum(first[n] for n in draw))
                   / len(draw) for draw, other in zip(draws, draws[1:] + draws[:1]))
    k = len(draws) // 40
    return 100 * (sum(second) - sum(first)) / len(first), found[k], found[-k - 1]
