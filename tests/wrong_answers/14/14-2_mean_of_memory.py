import torch
from softdict.masks import padding_mask


def cross_attention(layer, x, memory, lengths):
    """Returns answers [B, T, D] and weights [B, H, T, S]."""
    S = memory.shape[1]
    allowed = padding_mask(lengths, S)[:, None, :]
    weights = layer.weights(x, memory, allowed)
    answers = torch.einsum("bhts,bsd->bhtd", weights, memory).mean(dim=1)
    return answers, weights
