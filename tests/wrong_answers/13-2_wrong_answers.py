from softdict.masks import padding_mask


def right_ask(layer, words, states, lengths):
    """Returns found [B, T, D] and weights [B, H, T, S]."""
    query = 2 * layer.queries(words)
    key, value = layer.keys_and_values(states)
    real = padding_mask(lengths, states.shape[1])[:, None]
    return layer.attend(query, key, value, real, need_weights=True)
