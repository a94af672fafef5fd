import torch.nn.functional as F


def matrix_lookup(query, key, value):
    matches = query @ key.T                                     # [T, S]
    first = F.one_hot(matches.argmax(dim=1), key.shape[0]).to(matches.dtype)
    weights = first * (matches.sum(dim=1, keepdim=True) > 0)
    return weights @ value, weights
