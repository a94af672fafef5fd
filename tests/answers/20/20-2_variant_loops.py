import torch


def hits(weights, links):
    """Share of links that each head hits [H], and that of the best offset.

    weights [B, H, S, S]; links is a list of (sentence, word, other word)
    """
    B, H, S, _ = weights.shape
    shares = []
    for head in range(H):
        right = 0
        for b, word, other in links:
            row = weights[b, head, word].tolist()
            places = [s for s in range(1, S) if s != word]
            right += max(places, key=row.__getitem__) == other
        shares.append(right / len(links))
    offsets = [other - word for _, word, other in links]
    best = max(offsets.count(offset) for offset in set(offsets))
    return torch.tensor(shares), best / len(links)
