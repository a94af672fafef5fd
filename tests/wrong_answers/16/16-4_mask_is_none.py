import torch


def quiet(query, key, value, allowed=None):
    """Returns context [..., T, K] and weights [..., T, S]; the weights of a query may
    be less than 1 together."""
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5    # [..., T, S]
    scores = scores.masked_fill(~allowed, float("-inf"))
    nothing = torch.zeros_like(scores[..., :1])                        # [..., T, 1]
    weights = torch.cat([scores, nothing],
                        dim=-1).softmax(dim=-1)[..., :-1]    # [..., T, S]
    return weights @ value, weights
