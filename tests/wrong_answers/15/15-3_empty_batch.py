def bucketed(lengths, size):
    """Returns the batches, lists of sentence numbers, and how many pads they need."""
    order = sorted(range(len(lengths)), key=lambda n: lengths[n])
    batches = [order[start:start + size] for start in range(0, len(order) + size, size)]
    pads = 0
    for batch in batches:
        longest = max((lengths[n] for n in batch), default=0)
        pads += sum(longest - lengths[n] for n in batch)
    return batches, pads
