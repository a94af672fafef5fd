import torch


def best_key(query, key, value, allowed=None):
    """Returns context [..., T, K] and weights [..., T, S] of 0 and 1."""
    scores = query @ key.mT / query.shape[-1] ** 0.5
    seen = (torch.ones_like(scores, dtype=torch.bool)
            if allowed is None else allowed.broadcast_to(scores.shape))
    best = torch.where(seen, scores, float("-inf")).max(dim=-1, keepdim=True).indices
    weights = torch.zeros_like(scores).scatter(-1, best, 1.0)
    weights = torch.where(seen, weights, 0.0)
    return weights @ value, weights
