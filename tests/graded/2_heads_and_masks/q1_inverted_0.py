"""True where a word may not look."""

import torch


def prefix_mask(prefixes, lengths, size):
    hidden = torch.ones(len(lengths), size, size).triu(1).bool()
    for b in range(len(lengths)):
        hidden[b, :prefixes[b], :prefixes[b]] = False
        hidden[b, :, lengths[b]:] = True
    return hidden
