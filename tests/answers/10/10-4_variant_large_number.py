import torch


def best_two(query, key, value, allowed=None):
    """Returns context [..., T, D] and weights [..., T, S]."""
    scores = torch.einsum("...tk,...sk->...ts", query, key) / query.shape[-1] ** 0.5
    if allowed is not None:
        scores = torch.where(allowed, scores, -1e9)
    _, best = scores.topk(min(2, key.shape[-2]), dim=-1)
    kept = torch.full_like(scores, -1e9).scatter(-1, best, scores.gather(-1, best))
    weights = kept.softmax(dim=-1)
    return weights @ value, weights
