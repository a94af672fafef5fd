def paired(first, second, draws):
    """Returns how much better the second is, and both ends of the interval."""
    gains = [100 * (other - one) for one, other in zip(first, second)]
    found = []
    for draw in draws:
        moved = [gains[n] for n in draw if gains[n]]
        found.append(sum(moved) / max(1, len(moved)))
    found.sort()
    k, moved = len(draws) // 40, [gain for gain in gains if gain]
    return sum(moved) / max(1, len(moved)), found[k], found[-k - 1]
