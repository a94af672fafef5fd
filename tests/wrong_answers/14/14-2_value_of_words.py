from softdict.masks import padding_mask


def cross_attention(layer, x, memory, lengths):
    """Returns answers [B, T, D] and weights [B, H, T, S]."""
    real = padding_mask(lengths, memory.shape[1])[:, None]
    key, _ = layer.keys_and_values(memory)
    _, value = layer.keys_and_values(x)
    return layer.attend_to(x, key, value, real), layer.weights(x, memory, real)
