from torch import nn


def best_key(query, key, value, allowed=None):
    """Returns context [..., T, K] and weights [..., T, S] of 0 and 1."""
    scores = query @ key.transpose(-2, -1)
    if allowed is None:
        weights = nn.functional.one_hot(scores.argmax(dim=-1), scores.shape[-1])
        return weights.to(scores.dtype) @ value, weights.to(scores.dtype)
    may = allowed.clone()
    hidden = allowed.logical_not_()
    best = scores.masked_fill(hidden, float("-inf")).argmax(dim=-1)
    weights = nn.functional.one_hot(best, scores.shape[-1]).to(scores.dtype) * may
    return weights @ value, weights
