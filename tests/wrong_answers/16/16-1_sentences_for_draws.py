def paired(first, second, draws):
    """Returns how much better the second is, and both ends of the interval."""
    gains = [100 * (other - one) for one, other in zip(first, second)]
    found = sorted(sum(gains[n] for n in draw) / len(draw) for draw in draws)
    left_out = len(first) // 40
    return sum(gains) / len(gains), found[left_out], found[-left_out - 1]
