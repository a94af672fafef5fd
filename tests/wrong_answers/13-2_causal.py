from softdict.masks import causal_mask, padding_mask


def right_ask(layer, words, states, lengths):
    """Returns found [B, T, D] and weights [B, H, T, S]."""
    query = layer.queries(words)
    key, value = layer.keys_and_values(states)
    real = padding_mask(lengths, states.shape[1])[:, None]
    real = real & causal_mask(max(words.shape[1], states.shape[1]))[:words.shape[1], :states.shape[1]]
    return layer.attend(query, key, value, real, need_weights=True)
