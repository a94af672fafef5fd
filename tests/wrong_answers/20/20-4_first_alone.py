import torch


def prefix_scores(weights, ids):
    """Mean weight of each head [H] on what followed the same word earlier.

    weights [B, H, T, T], ids [B, T]
    """
    B, H, T, _ = weights.shape
    total, count = torch.zeros(H), 0
    for b in range(B):
        words = ids[b].tolist()
        for t in range(T):
            first = words.index(words[t])
            if first < t:
                total = total + weights[b, :, t, first + 1]
                count += 1
    return total / max(count, 1)
