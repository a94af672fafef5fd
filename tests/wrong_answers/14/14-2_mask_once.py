from softdict.masks import padding_mask


def cross_attention(layer, x, memory, lengths):
    allowed = padding_mask(lengths, memory.shape[1])[:, None]
    return layer(x, memory), layer.weights(x, memory, allowed)
