def may_look(lengths, size):
    """Returns allowed [B, T, T], True where word t may look at word s."""
    return [[[s < length and s <= t for s in range(size)] for t in range(size)]
            for length in lengths]
