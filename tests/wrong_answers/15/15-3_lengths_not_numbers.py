def bucketed(lengths, size):
    """Returns the batches, lists of sentence numbers, and how many pads they need."""
    order = sorted(lengths)
    batches = [order[start:start + size] for start in range(0, len(order), size)]
    return batches, sum(batch[-1] * len(batch) - sum(batch) for batch in batches)
