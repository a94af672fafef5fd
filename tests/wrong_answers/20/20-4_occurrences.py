import torch


def prefix_scores(weights, ids):
    """Mean weight of each head [H] on what followed the same word earlier.

    weights [B, H, T, T], ids [B, T]
    """
    B, H, T, _ = weights.shape
    total, n = torch.zeros(H), 0
    for b in range(B):
        for t in range(T):
            places = [s + 1 for s in range(t) if ids[b, s] == ids[b, t]]
            total += weights[b, :, t, places].sum(-1)
            n += len(places)
    return total / max(n, 1)
