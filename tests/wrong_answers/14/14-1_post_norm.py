from softdict.masks import causal_mask, padding_mask


def decoder_layer(x, memory, lengths,
                  self_attention, cross_attention, feed_forward, norms):
    """Returns x [B, T, D]."""
    x = norms[0](x + self_attention(x, x, causal_mask(x.shape[1])))
    pads = padding_mask(lengths, memory.shape[1])[:, None]
    x = norms[1](x + cross_attention(x, memory, pads))
    return norms[2](x + feed_forward(x))
