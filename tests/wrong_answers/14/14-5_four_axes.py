from torch import nn


def best_key(query, key, value, allowed=None):
    """Returns context [..., T, K] and weights [..., T, S] of 0 and 1."""
    B, H, T, K = query.shape
    S = key.shape[2]
    scores = query @ key.transpose(2, 3)
    if allowed is not None:
        allowed = allowed.expand(B, H, T, S)
        scores = scores.masked_fill(~allowed, float("-inf"))
    weights = nn.functional.one_hot(scores.argmax(dim=-1), S).to(scores.dtype)
    if allowed is not None:
        weights = weights * allowed
    return weights @ value, weights
