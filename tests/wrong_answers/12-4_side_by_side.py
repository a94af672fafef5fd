def right_block(words, look, think, first, second):
    """A pre-norm block; returns words [B, T, D]."""
    return words + look(first(words)) + think(second(words))
