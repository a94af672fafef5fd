from collections import Counter

import torch


def hits(weights, links):
    """Share of links that each head hits [H], and that of the best offset.

    weights [B, H, S, S]; links is a list of (sentence, word, other word)
    """
    found = torch.zeros(weights.shape[1])
    offsets = Counter()
    for b, word, other in links:
        rows = weights[b, :, word].clone()
        rows[:, 0] = rows[:, word] = -1
        found += rows.argmax(dim=-1) == other
        offsets[other - word] += 1
    return found / len(links), offsets
