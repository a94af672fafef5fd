"""The pads' rows are emptied, and not their columns."""

import torch


def prefix_mask(prefixes, lengths, size):
    allowed = torch.ones(len(lengths), size, size).tril().bool()
    for b in range(len(lengths)):
        allowed[b, :prefixes[b], :prefixes[b]] = True
        allowed[b, lengths[b]:] = False
    return allowed
