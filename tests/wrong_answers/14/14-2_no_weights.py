from softdict.attention import sdpa
from softdict.masks import padding_mask


def cross_attention(layer, x, memory, lengths):
    """Returns answers [B, T, D] and weights [B, H, T, S]."""
    key, value = layer.keys_and_values(memory)
    real = padding_mask(lengths, memory.shape[1])[:, None, None]
    return sdpa(layer.queries(x), key, value, real)
