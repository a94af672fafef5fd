def bucketed(lengths, size):
    """Returns the batches, lists of sentence numbers, and how many pads they need."""
    order = sorted(range(len(lengths)), key=lambda n: lengths[n])
    batches, pads = [], 0
    for start in range(0, len(order), size):
        batch = order[start:start + size]
        longest = max(lengths[n] for n in batch)
        pads += sum(longest for n in batch)
        batches.append(batch)
    return batches, pads
