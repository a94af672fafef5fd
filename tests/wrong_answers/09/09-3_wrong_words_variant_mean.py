import torch


def right_layer(query, key, value):
    """Returns the new words [B, T, D] and the weights [B, T, S]."""
    scores = query @ key.transpose(1, 2) / query.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1)
    return (weights[..., None] * value[:, None]).mean(dim=2), weights
