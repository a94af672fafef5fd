from torch import nn


def best_key(query, key, value, allowed=None):
    """Returns context [..., T, K] and weights [..., T, S] of 0 and 1."""
    scores = query @ key.transpose(-2, -1)
    scores = scores.masked_fill(~allowed, float("-inf"))
    weights = nn.functional.one_hot(scores.argmax(dim=-1),
                                    scores.shape[-1]).to(scores.dtype)
    if allowed is not None:
        weights = weights * allowed
    return weights @ value, weights
