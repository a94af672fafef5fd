from softdict.masks import padding_mask


def cross_attention(layer, x, memory, lengths):
    """Returns answers [B, T, D] and weights [B, H, T, S]."""
    pads = ~padding_mask(lengths, memory.shape[1])[:, None]
    return layer(x, memory, pads), layer.weights(x, memory, pads)
