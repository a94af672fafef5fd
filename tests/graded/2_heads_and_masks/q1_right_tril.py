"""A triangle, a square of the source, and a cut."""

import torch


def prefix_mask(prefixes, lengths, size):
    allowed = torch.ones(len(lengths), size, size).tril().bool()
    for b, (prefix, length) in enumerate(zip(prefixes, lengths)):
        allowed[b, :prefix, :prefix] = True
        allowed[b, :, length:] = False
    return allowed
