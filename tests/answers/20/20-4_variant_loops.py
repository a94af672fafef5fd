import torch


def prefix_scores(weights, ids):
    """Mean weight of each head [H] on what followed the same word earlier.

    weights [B, H, T, T], ids [B, T]
    """
    B, H, T, _ = weights.shape
    total, count = torch.zeros(H, device=weights.device), 0
    for b in range(B):
        for t in range(T):
            earlier = [s for s in range(t) if ids[b, s] == ids[b, t]]
            if earlier:
                total = total + weights[b, :, t, [s + 1 for s in earlier]].sum(dim=-1)
                count += 1
    return total / count if count else total
