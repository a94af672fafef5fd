"""Dot products that are not divided."""

import torch


def grouped_attention(query, key, value):
    times = query.shape[1] // key.shape[1]
    weights = torch.softmax(query @ key.repeat_interleave(times, 1).mT, dim=-1)
    return weights @ value.repeat_interleave(times, 1), weights
