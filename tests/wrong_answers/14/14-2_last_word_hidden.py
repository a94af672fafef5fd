from softdict.masks import padding_mask


def cross_attention(layer, x, memory, lengths):
    """Returns answers [B, T, D] and weights [B, H, T, S]."""
    real = padding_mask(lengths - 1, memory.shape[1])[:, None]
    return layer(x, memory, real), layer.weights(x, memory, real)
