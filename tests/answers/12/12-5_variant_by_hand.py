import torch


def by_distance(bias):
    """bias [H, 2*R+1]; returns attend(query, key, value, allowed=None), which adds it
    to the scores."""
    def attend(query, key, value, allowed=None):
        T, K = query.shape[-2:]
        reach = (bias.shape[1] - 1) // 2
        scores = query @ key.transpose(-2, -1) / K ** 0.5
        table = torch.stack(
            [torch.stack([bias[:, max(-reach, min(reach, s - t)) + reach]
                          for s in range(T)], dim=-1) for t in range(T)], dim=-2)
        scores = scores + table
        if allowed is not None:
            scores = scores.masked_fill(~allowed, float("-inf"))
        weights = scores.softmax(dim=-1)
        return weights @ value, weights

    return attend
