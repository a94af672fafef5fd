def rates(updates, warmup, peak):
    """The learning rates of updates 1, 2, ..., in a list."""
    return [peak * n / warmup if n <= warmup else peak / n ** 0.5
            for n in range(1, updates + 1)]
