import torch

from softdict.attention import scaled_dot


def by_distance(bias):
    """bias [H, 2*R+1]; returns attend(query, key, value, allowed=None), which adds it
    to the scores."""
    reach = bias.shape[1] // 2

    def attend(query, key, value, allowed=None):
        positions = torch.arange(query.shape[-2], device=query.device)
        columns = (positions[None, :] - positions[:, None]).clamp(-reach, reach) + reach
        scores = scaled_dot(query, key) + bias[:, columns]
        if allowed is not None:
            scores = scores.masked_fill(allowed.logical_not_(), float("-inf"))
        weights = scores.softmax(dim=-1)
        return weights @ value, weights

    return attend
