import torch


def by_distance(bias):
    """bias [H, 2*R+1]; returns attend(query, key, value, allowed=None), which adds it
    to the scores."""
    R = bias.shape[1] // 2
    def attend(query, key, value, allowed=None):
        T, S = query.shape[-2], key.shape[-2]
        d = torch.arange(S)[None] - torch.arange(T)[:, None]
        scores = query @ key.mT / query.shape[-1] ** 0.5
        scores = scores + bias[:, (d + R) % bias.shape[1]]
        if allowed is not None:
            scores = scores.masked_fill(~allowed, -torch.inf)
        weights = scores.softmax(-1)
        return weights @ value, weights
    return attend
