import torch


def hits(weights, links):
    """Share of links that each head hits [H], and that of the best offset.

    weights [B, H, S, S]; links is a list of (sentence, word, other word)
    """
    right = []
    for b, word, other in links:
        row = weights[b, :, word]
        others = [s for s in range(1, row.shape[1]) if s not in (word, other)]
        right.append((row[:, others] < row[:, other, None]).all(dim=1))
    far = [other - word for _, word, other in links]
    commonest = max(far, key=far.count)
    return torch.stack(right).float().mean(dim=0), far.count(commonest) / len(far)
