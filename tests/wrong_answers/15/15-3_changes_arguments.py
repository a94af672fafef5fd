def bucketed(lengths, size):
    """Returns the batches, lists of sentence numbers, and how many pads they need."""
    lengths.sort()
    order = list(range(len(lengths)))
    batches = [order[start:start + size] for start in range(0, len(order), size)]
    return batches, sum(max(lengths[n] for n in batch) - lengths[m] for batch in batches
                        for m in batch)
