import random


def bucketed(lengths, size):
    """Returns the batches, lists of sentence numbers, and how many pads they need."""
    pairs = sorted((length, n) for n, length in enumerate(lengths))
    groups = [pairs[start:start + size] for start in range(0, len(pairs), size)]
    random.Random(3).shuffle(groups)
    pads = sum(len(group) * group[-1][0] - sum(length for length, _ in group)
               for group in groups)
    return [[n for _, n in group] for group in groups], pads
