from softdict.masks import causal_mask, padding_mask


def decoder_layer(words, states, lengths, look, ask, think, norms):
    """Returns new words [B, T, D]."""
    words = norms[0](words)
    words = words + look(words, words, causal_mask(words.shape[1]))
    words = norms[1](words)
    words = words + ask(words, states, padding_mask(lengths, states.shape[1])[:, None])
    words = norms[2](words)
    return words + think(words)
