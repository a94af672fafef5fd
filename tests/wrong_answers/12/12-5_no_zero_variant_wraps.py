import torch
from softdict.attention import attention, scaled_dot


def by_distance(bias):
    """bias [H, 2*R+1]; returns attend(query, key, value, allowed=None), which adds it
    to the scores."""
    reach = bias.shape[-1] // 2

    def attend(query, key, value, allowed=None):
        def score(query, key):
            positions = torch.arange(key.shape[-2], device=query.device)
            away = (positions - positions[:, None]).clamp(min=-reach, max=reach)
            return scaled_dot(query, key) + bias[:, away]

        return attention(query, key, value, allowed, score)
    return attend
