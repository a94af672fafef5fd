from collections import Counter

import torch


def hits(weights, links):
    """Share of links that each head hits [H], and that of the best offset.

    weights [B, H, S, S]; links is a list of (sentence, word, other word)
    """
    shares = []
    for sentence in {b for b, _, _ in links}:
        own = []
        for b, word, other in links:
            if b == sentence:
                rows = weights[b, :, word].clone()
                rows[:, 0] = rows[:, word] = -1
                own.append(rows.argmax(dim=-1) == other)
        shares.append(torch.stack(own).float().mean(dim=0))
    offsets = Counter(other - word for _, word, other in links)
    return torch.stack(shares).mean(dim=0), max(offsets.values()) / len(links)
