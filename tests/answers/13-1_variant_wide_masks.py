from softdict.masks import causal_mask, padding_mask


def decoder_layer(words, states, lengths, look, ask, think, norms):
    """Returns new words [B, T, D]."""
    T, S = words.shape[1], states.shape[1]
    first, second, third = norms
    own = first(words)
    words = words + look(own, own, causal_mask(T).expand(len(words), T, T))
    pads = padding_mask(lengths, S)[:, None].expand(len(words), T, S)
    words = words + ask(second(words), states, pads)
    words = words + think(third(words))
    return words
