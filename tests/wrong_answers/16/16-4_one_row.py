import torch


def quiet(query, key, value, allowed=None):
    """Returns context [..., T, K] and weights [..., T, S]; the weights of a query may
    be less than 1 together."""
    key, value = (torch.cat([part, torch.zeros_like(part[..., :1, :])], dim=-2)
                  for part in (key, value))
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if allowed is not None:
        allowed = allowed.expand(*scores.shape[:-2], *allowed.shape[-2:])
        nothing = torch.ones_like(scores[..., :1], dtype=torch.bool)
        allowed = torch.cat([allowed, nothing], dim=-1)
        scores = scores.masked_fill(~allowed, float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ value, weights[..., :-1]
