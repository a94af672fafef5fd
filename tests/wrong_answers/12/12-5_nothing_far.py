import torch
from softdict.attention import attention, scaled_dot


def by_distance(bias):
    """bias [H, 2*R+1]; returns attend(query, key, value, allowed=None), which adds it
    to the scores."""
    R = bias.shape[-1] // 2

    def attend(query, key, value, allowed=None):
        p = torch.arange(query.shape[-2], device=query.device)
        away = p[None, :] - p[:, None]                      # [T, T]
        known = away.abs() <= R                             # [T, T]
        table = bias[:, away.clamp(-R, R) + R] * known      # [H, T, T]
        return attention(query, key, value, allowed,
                         lambda q, k: scaled_dot(q, k) + table)

    return attend
