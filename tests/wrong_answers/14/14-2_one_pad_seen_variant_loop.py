import torch


def cross_attention(layer, x, memory, lengths):
    """Returns answers [B, T, D] and weights [B, H, T, S]."""
    B, S, _ = memory.shape
    allowed = torch.zeros(B, 1, S, dtype=torch.bool)
    for b in range(B):
        for s in range(S):
            if s <= lengths[b]:
                allowed[b, 0, s] = True
    answers = layer(x, memory, allowed)
    weights = layer.weights(x, memory, allowed)
    return answers, weights
