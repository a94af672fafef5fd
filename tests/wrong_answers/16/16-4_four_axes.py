import torch


def quiet(query, key, value, allowed=None):
    """Returns context [..., T, K] and weights [..., T, S]; the weights of a query may
    be less than 1 together."""
    B, H, T, K = query.shape
    scores = query @ key.transpose(2, 3) / K ** 0.5
    if allowed is not None:
        scores = scores.masked_fill(~allowed, float("-inf"))
    weights = torch.cat([scores, torch.zeros(B, H, T, 1)], dim=-1).softmax(dim=-1)
    return weights[..., :-1] @ value, weights[..., :-1]
