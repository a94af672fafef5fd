def cross_attention(layer, x, memory, lengths):
    """Returns answers [B, T, D] and weights [B, H, T, S]."""
    return layer(x, memory), layer.weights(x, memory)
