def decoder_layer(x, memory, lengths,
                  self_attention, cross_attention, feed_forward, norms):
    """Returns x [B, T, D]."""
    own = norms[0](x)
    x = x + self_attention(own, own, None)
    x = x + cross_attention(norms[1](x), memory, None)
    return x + feed_forward(norms[2](x))
