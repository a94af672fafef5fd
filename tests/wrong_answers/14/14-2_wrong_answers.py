from softdict.heads import merge_heads
from softdict.masks import padding_mask


def cross_attention(layer, x, memory, lengths):
    """Returns answers [B, T, D] and weights [B, H, T, S]."""
    real = padding_mask(lengths, memory.shape[1])[:, None]
    _, value = layer.keys_and_values(memory)
    weights = layer.weights(x, memory, real)
    return merge_heads(weights @ value), weights
