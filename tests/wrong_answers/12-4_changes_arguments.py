def right_block(words, look, think, first, second):
    """A pre-norm block; returns words [B, T, D]."""
    words += look(first(words))
    return words + think(second(words))
