from softdict.masks import causal_mask, padding_mask


def decoder_layer(words, states, lengths, look, ask, think, norms):
    """Returns new words [B, T, D]."""
    words = norms[0](words + look(words, words, causal_mask(words.shape[1])))
    pads = padding_mask(lengths, states.shape[1])[:, None]
    words = norms[1](words + ask(words, states, pads))
    return norms[2](words + think(words))
