def rates(updates, warmup, peak):
    """The learning rates of updates 1, 2, ..., in a list."""
    return [peak * min(n / warmup, (warmup / n) ** 0.5)
            for n in range(1, updates + warmup + 1)]
