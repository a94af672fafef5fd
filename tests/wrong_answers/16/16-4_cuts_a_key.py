import torch.nn.functional as F
from softdict.attention import scaled_dot


def quiet(query, key, value, allowed=None):
    """Returns context [..., T, K] and weights [..., T, S]; the weights of a query may
    be less than 1 together."""
    scores = scaled_dot(query, key)
    if allowed is not None:
        scores = scores.masked_fill(~allowed, float("-inf"))
    with_nothing = F.pad(scores, (1, 0), value=0.0)
    weights = with_nothing.softmax(dim=-1)[..., :-1]
    return weights @ value, weights
