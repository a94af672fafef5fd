"""Dot products that are not divided."""

import torch


def alternating_attention(query, key, value):
    times = query.shape[1] // key.shape[1]
    weights = torch.softmax(query @ key.repeat(1, times, 1, 1).mT, dim=-1)
    return weights @ value.repeat(1, times, 1, 1), weights
