def key_rows_made(S, T, layers):
    """Returns how many rows become keys without caches, and with them."""
    without = with_both = 0
    for _ in range(layers):
        with_both += S
        for t in range(1, T + 1):
            without += t + S
            with_both += 1
    return without, with_both
