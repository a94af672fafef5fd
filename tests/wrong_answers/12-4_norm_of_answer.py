def right_block(words, look, think, first, second):
    """A pre-norm block; returns words [B, T, D]."""
    words = words + first(look(words))
    return words + second(think(words))
