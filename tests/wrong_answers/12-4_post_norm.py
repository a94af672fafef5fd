def right_block(words, look, think, first, second):
    """A pre-norm block; returns words [B, T, D]."""
    words = first(words + look(words))
    return second(words + think(words))
