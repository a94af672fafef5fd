import torch.nn.functional as F


def right_layer(query, key, value):
    """Returns new words [B, T, D] and weights [B, T, S]."""
    cosine = F.normalize(query, dim=-1) @ F.normalize(key, dim=-1).transpose(-2, -1)
    weights = cosine.softmax(dim=-1)
    return weights @ value, weights
