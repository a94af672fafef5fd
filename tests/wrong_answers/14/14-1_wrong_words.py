from softdict.masks import causal_mask, padding_mask


def decoder_layer(x, memory, lengths,
                  self_attention, cross_attention, feed_forward, norms):
    """Returns x [B, T, D]."""
    own = norms[0](x)
    x = x + self_attention(own, own, causal_mask(x.shape[1]))
    pads = padding_mask(lengths, memory.shape[1])[:, None]
    x = x + cross_attention(norms[1](x), memory, pads)
    return x + 0.5 * feed_forward(norms[2](x))
