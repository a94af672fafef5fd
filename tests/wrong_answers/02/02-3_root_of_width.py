import torch


def batch_lookup(query, key, value, temperature):
    """Returns the answers [B, T, D] and the weights [B, T, S]."""
    scores = torch.bmm(query, key.transpose(1, 2)) / temperature    # [B, T, S]
    scores = scores / key.shape[-1] ** 0.5                          # [B, T, S]
    weights = torch.softmax(scores, dim=2)                          # [B, T, S]
    return torch.bmm(weights, value), weights
