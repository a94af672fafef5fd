def right_block(words, look, think, first, second):
    """A pre-norm block; returns words [B, T, D]."""
    words = words + think(second(words))
    return words + look(first(words))
