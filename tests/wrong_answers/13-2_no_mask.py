def right_ask(layer, words, states, lengths):
    """Returns found [B, T, D] and weights [B, H, T, S]."""
    query = layer.queries(words)
    key, value = layer.keys_and_values(states)
    return layer.attend(query, key, value, None, need_weights=True)
