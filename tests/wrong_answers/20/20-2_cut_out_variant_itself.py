from collections import Counter

import torch


def hits(weights, links):
    """Share of links that each head hits [H], and that of the best offset.

    weights [B, H, S, S]; links is a list of (sentence, word, other word)
    """
    W = weights.clone()
    W[..., 0] = -1.0
    hit = torch.stack([torch.eq(torch.max(
        torch.cat([W[b, :, q, :q], W[b, :, q, q + 1:]], dim=-1), dim=-1).indices, k)
                       for b, q, k in links])
    (_, most), = Counter(k - q for _, q, k in links).most_common(1)
    return hit.double().mean(dim=0), most / len(links)
