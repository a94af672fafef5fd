import torch

from softdict.attention import attention, scaled_dot


def by_distance(bias):
    """bias [H, 2*R+1]; returns attend(query, key, value, allowed=None), which adds it
    to the scores."""
    reach = bias.shape[1] // 2

    def attend(query, key, value, allowed=None):
        positions = torch.arange(query.shape[-2])
        distance = (positions[None, :] - positions[:, None]).clamp(-reach, reach)
        added = torch.zeros(bias.shape[0], *distance.shape)       # [H, T, T]
        for away in range(-reach, reach + 1):
            added = torch.where(distance == away, bias[:, away + reach, None, None],
                                added)
        return attention(query, key, value, allowed,
                         lambda query, key: scaled_dot(query, key) + added)

    return attend
