def rates(updates, warmup, peak):
    """The learning rates of updates 1, 2, ..., in a list."""
    return peak * min(updates / warmup, (warmup / updates) ** 0.5)
