import torch


def cross_attention(layer, x, memory, lengths):
    """Returns answers [B, T, D] and weights [B, H, T, S]."""
    places = torch.arange(memory.shape[1])
    real = (places[None] < lengths[:, None])[:, None]
    answers = layer(x, source=memory, allowed=real)
    return answers, layer.weights(x, source=memory, allowed=real)
