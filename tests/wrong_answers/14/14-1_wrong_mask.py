import torch

from softdict.masks import padding_mask


def decoder_layer(x, memory, lengths,
                  self_attention, cross_attention, feed_forward, norms):
    """Returns x [B, T, D]."""
    T = x.shape[1]
    own = norms[0](x)
    x = x + self_attention(own, own, torch.ones(T, T, dtype=torch.bool).tril(1))
    pads = padding_mask(lengths, memory.shape[1])[:, None]
    x = x + cross_attention(norms[1](x), memory, pads)
    return x + feed_forward(norms[2](x))
