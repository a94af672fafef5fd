def rates(updates, warmup, peak):
    return [peak * n / warmup if n <= warmup else peak / (n - warmup + 1) ** 0.5
            for n in range(1, updates + 1)]
