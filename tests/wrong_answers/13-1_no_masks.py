def decoder_layer(words, states, lengths, look, ask, think, norms):
    """Returns new words [B, T, D]."""
    own = norms[0](words)
    words = words + look(own, own, None)
    words = words + ask(norms[1](words), states, None)
    return words + think(norms[2](words))
