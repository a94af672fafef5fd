import torch


def quiet(query, key, value, allowed=None):
    """Returns context [..., T, K] and weights [..., T, S]; the weights of a query may
    be less than 1 together."""
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if allowed is not None:
        scores = scores.masked_fill(~allowed, -torch.inf)
    scores = torch.cat([scores, torch.zeros_like(scores[..., :1])], dim=-1)
    weights = scores.softmax(-1)[..., :-1]
    return (weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)) @ value, weights
