from softdict.masks import padding_mask


def decoder_layer(words, states, lengths, look, ask, think, norms):
    """Returns new words [B, T, D]."""
    own = norms[0](words)
    words = words + look(own, own, None)
    pads = padding_mask(lengths, states.shape[1])[:, None]
    words = words + ask(norms[1](words), states, pads)
    return words + think(norms[2](words))
