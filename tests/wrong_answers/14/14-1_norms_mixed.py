from softdict.masks import causal_mask
from softdict.masks import padding_mask


def decoder_layer(x, memory, lengths,
                  self_attention, cross_attention, feed_forward, norms):
    """Returns x [B, T, D]."""
    past = causal_mask(x.shape[1])
    real = padding_mask(lengths, memory.shape[1])[:, None, :]
    y = norms[0](x)
    x = x + self_attention(y, y, past)
    x = x + cross_attention(norms[2](x), memory, real)
    return x + feed_forward(norms[1](x))
