import torch

from softdict.attention import attention, scaled_dot


def by_distance(bias):
    """bias [H, 2*R+1]; returns attend(query, key, value, allowed=None), which adds it
    to the scores."""
    reach = bias.shape[1] // 2

    def attend(query, key, value, allowed=None):
        positions = torch.arange(query.shape[-2], device=query.device)
        distance = positions[None, :] - positions[:, None]        # [T, T]
        columns = distance.clamp(-reach, reach) + reach
        near = distance.abs() <= reach
        return attention(query, key, value, near if allowed is None else near & allowed,
                         lambda query, key: scaled_dot(query, key) + bias[:, columns])

    return attend
