def rates(updates, warmup, peak):
    """The learning rates of updates 1, 2, ..., in a list."""
    return [peak * n / warmup for n in range(1, min(updates, warmup) + 1)]
