import torch


def decoder_layer(x, memory, lengths,
                  self_attention, cross_attention, feed_forward, norms):
    """Returns x [B, T, D]."""
    B, T, S = len(x), x.shape[1], memory.shape[1]
    earlier = torch.tensor([[s <= t for s in range(T)] for t in range(T)])
    real = torch.tensor([[[s < int(length) for s in range(S)]] for length in lengths])
    assert real.shape == (B, 1, S)
    normal = norms[0](x)
    x_self = self_attention(normal, normal, allowed=earlier) + x
    x_cross = cross_attention(norms[1](x_self), memory, allowed=real) + x_self
    return feed_forward(norms[2](x_cross)) + x_cross
