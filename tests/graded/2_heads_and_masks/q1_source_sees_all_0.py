"""Rows of the source look everywhere."""

import torch


def prefix_mask(prefixes, lengths, size):
    places = torch.arange(size)
    real = places < torch.tensor(lengths)[:, None]
    source = places < torch.tensor(prefixes)[:, None]
    causal = places[None, :] <= places[:, None]
    return real[:, None, :] & (causal | source[:, :, None])
