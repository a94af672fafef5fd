import torch


def best_key(query, key, value, allowed=None):
    """Returns context [..., T, K] and weights [..., T, S] of 0 and 1."""
    scores = torch.einsum("...tk,...sk->...ts", query, key)
    if allowed is not None:
        allowed = allowed.expand(scores.shape)
        scores = scores.masked_fill(~allowed, -torch.inf)
    best = scores.argmax(dim=-1, keepdim=True)                     # [..., T, 1]
    context = value.gather(-2, best.expand(*best.shape[:-1], value.shape[-1]))
    weights = torch.zeros_like(scores).scatter(-1, best, 1.0)
    if allowed is not None:
        weights = weights.masked_fill(~allowed, 0.0)
    return context, weights
