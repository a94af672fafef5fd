def right_block(words, look, think, first, second):
    """A pre-norm block; returns words [B, T, D]."""
    for layer, norm in ((look, first), (think, second)):
        read = norm(words)
        words = layer(read) + words
    return words
