from softdict.masks import causal_mask, padding_mask


def cross_attention(layer, x, memory, lengths):
    """Returns answers [B, T, D] and weights [B, H, T, S]."""
    real = padding_mask(lengths, memory.shape[1])[:, None]
    T, S = x.shape[1], memory.shape[1]
    real = real & causal_mask(max(T, S))[:T, :S]
    return layer(x, memory, real), layer.weights(x, memory, real)
