import torch


def prefix_scores(weights, ids):
    """Mean weight of each head [H] on what followed the same word earlier.

    weights [B, H, T, T], ids [B, T]
    """
    B, H, T, _ = weights.shape
    total, count = torch.zeros(H), 0
    for b in range(B):
        for t in range(T):
            earlier = [s for s in range(t) if ids[b, s] == ids[b, t]]
            if earlier:
                total = total + weights[b, :, t, earlier[-1] + 1]
                count += 1
    return total / max(count, 1)
