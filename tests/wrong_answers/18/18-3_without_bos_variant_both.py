def key_rows_made(S, T, layers):
    """Returns how many rows become keys without caches, and with them."""
    without = 0
    for t in range(T):
        without += layers * (t + S)
    with_caches = layers * (T - 1 + S)
    return without, with_caches
