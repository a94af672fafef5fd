def key_rows_made(S, T, layers):
    """Returns how many rows become keys without caches, and with them."""
    return layers * (T * (T + 1) // 2 + S * T), T + layers * S
