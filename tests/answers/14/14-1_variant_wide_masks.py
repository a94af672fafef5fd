from softdict.masks import causal_mask, padding_mask


def decoder_layer(x, memory, lengths,
                  self_attention, cross_attention, feed_forward, norms):
    """Returns x [B, T, D]."""
    T, S = x.shape[1], memory.shape[1]
    first, second, third = norms
    own = first(x)
    x = x + self_attention(own, own, causal_mask(T).expand(len(x), T, T))
    pads = padding_mask(lengths, S)[:, None].expand(len(x), T, S)
    x = x + cross_attention(second(x), memory, pads)
    x = x + feed_forward(third(x))
    return x
