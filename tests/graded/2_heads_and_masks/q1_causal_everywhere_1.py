"""The usual mask of a writer: the source does not see ahead either."""

import torch


def prefix_mask(prefixes, lengths, size):
    places = torch.arange(size)
    real = places < torch.tensor(lengths)[:, None]
    return real[:, None, :] & (places[None, :] <= places[:, None])
