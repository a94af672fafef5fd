from softdict.masks import padding_mask


def cross_attention(layer, x, memory, lengths):
    """Returns answers [B, T, D] and weights [B, H, T, S]."""
    real = padding_mask(lengths, memory.shape[1])[:, None]
    real = real.expand(-1, x.shape[1], -1)
    answers = layer.attend_to(x, *layer.keys_and_values(memory), real)
    return answers, layer.weights(x, memory, real)
