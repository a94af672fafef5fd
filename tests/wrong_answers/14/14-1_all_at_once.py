from softdict.masks import causal_mask
from softdict.masks import padding_mask


def decoder_layer(x, memory, lengths,
                  self_attention, cross_attention, feed_forward, norms):
    seen = causal_mask(x.shape[1])
    real = padding_mask(lengths, memory.shape[1])[:, None]
    y = norms[0](x)
    return (x + self_attention(y, y, seen) + cross_attention(norms[1](x), memory, real)
            + feed_forward(norms[2](x)))
