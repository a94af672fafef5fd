from softdict.masks import padding_mask


def right_ask(layer, words, states, lengths):
    """Returns found [B, T, D] and weights [B, H, T, S]."""
    real = padding_mask(lengths, states.shape[1])[:, None]
    real = real.expand(-1, words.shape[1], -1)
    found, weights = layer.attend(layer.queries(words), *layer.keys_and_values(states), real, True)
    return found, weights
