"""Keeps the newest rows, and forgets the first."""

import torch


def rolling_step(query, key, value, keys, values, size):
    keys = torch.cat([keys, key.unsqueeze(2)], dim=2)[:, :, -size:]
    values = torch.cat([values, value.unsqueeze(2)], dim=2)[:, :, -size:]
    scores = query.unsqueeze(2) @ keys.mT / query.shape[-1] ** 0.5
    return (scores.softmax(-1) @ values).squeeze(2), keys, values
