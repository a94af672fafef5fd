from softdict.masks import causal_mask


def decoder_layer(words, states, lengths, look, ask, think, norms):
    """Returns new words [B, T, D]."""
    own = norms[0](words)
    words = words + look(own, own, causal_mask(words.shape[1]))
    return words + think(norms[2](words))
