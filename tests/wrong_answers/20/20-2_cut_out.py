from collections import Counter

import torch


def hits(weights, links):
    """Share of links that each head hits [H], and that of the best offset.

    weights [B, H, S, S]; links is a list of (sentence, word, other word)
    """
    W = weights.clone()
    W.diagonal(dim1=-2, dim2=-1).fill_(-1.0)       # not the word itself
    W = W[..., 1:]                                 # not position 0
    hit = torch.stack([torch.eq(torch.max(W[b, :, q], dim=-1).indices, k)
                       for b, q, k in links])
    (_, most), = Counter(k - q for _, q, k in links).most_common(1)
    return hit.double().mean(dim=0), most / len(links)
