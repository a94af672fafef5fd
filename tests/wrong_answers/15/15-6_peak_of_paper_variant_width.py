def rates(updates, warmup, peak):
    """The learning rates of updates 1, 2, ..., in a list."""
    return [peak ** -0.5 * min(n ** -0.5, n * warmup ** -1.5)
            for n in range(1, updates + 1)]
