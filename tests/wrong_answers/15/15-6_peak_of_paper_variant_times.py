def noam(step, warmup, factor):
    return factor * min(step ** -0.5, step * warmup ** -1.5)


def rates(updates, warmup, peak):
    """The learning rates of updates 1, 2, ..., in a list."""
    return [noam(step, warmup, peak) for step in range(1, updates + 1)]
