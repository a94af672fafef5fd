from softdict.masks import padding_mask


def cross_attention(layer, x, memory, lengths):
    """Returns answers [B, T, D] and weights [B, H, T, S]."""
    real = padding_mask(lengths, memory.size(1))
    answers = layer(x, memory, real.unsqueeze(1))
    weights = layer.weights(x, memory)
    weights = weights * real[:, None, None, :]
    return answers, weights
