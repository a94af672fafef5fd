import torch


def best_two(query, key, value, allowed=None):
    """Returns what was found [..., T, D] and weights [..., T, S]."""
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    best = scores.topk(min(2, scores.shape[-1]), dim=-1).indices
    keep = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True)
    if allowed is not None:
        keep = keep & allowed
    weights = scores.masked_fill(~keep, -1e9).softmax(dim=-1)
    return weights @ value, weights
