from softdict.masks import causal_mask, padding_mask


def decoder_layer(words, states, lengths, look, ask, think, norms):
    """Returns new words [B, T, D]."""
    own = norms[0](words)
    words = words + look(own, own, causal_mask(words.shape[1]))
    pads = padding_mask(lengths, states.shape[1])[:, None]
    words = words + ask(norms[0](words), states, pads)
    return words + think(norms[0](words))
