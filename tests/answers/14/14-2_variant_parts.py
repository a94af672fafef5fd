from softdict.attention import attention
from softdict.heads import merge_heads
from softdict.masks import padding_mask


def cross_attention(layer, x, memory, lengths):
    """Returns answers [B, T, D] and weights [B, H, T, S]."""
    query, (key, value) = layer.queries(x), layer.keys_and_values(memory)
    real = padding_mask(lengths, memory.shape[1])[:, None, None]
    context, weights = attention(query, key, value, real)
    return layer.out(merge_heads(context)), weights
