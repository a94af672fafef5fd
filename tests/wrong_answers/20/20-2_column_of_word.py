import torch


def hits(weights, links):
    """Share of links that each head hits [H], and that of the best offset.

    weights [B, H, S, S]; links is a list of (sentence, word, other word)
    """
    share = torch.zeros(weights.shape[1])
    for b, q, k in links:
        row = weights[b, :, :, q].clone()
        row[:, [0, q]] = -1
        share += (row.argmax(-1) == k)
    offsets = [k - q for _, q, k in links]
    return share / len(links), max(map(offsets.count, offsets)) / len(links)
