import torch


def best_key(query, key, value, allowed=None):
    """Returns context [..., T, K] and weights [..., T, S] of 0 and 1."""
    scores = query @ key.transpose(-2, -1)
    seen = (torch.ones_like(scores).bool()
            if allowed is None else allowed.broadcast_to(scores.shape))
    weights = torch.zeros_like(scores)
    for row, score, sees in zip(weights.flatten(0, -2), scores.flatten(0, -2),
                                seen.flatten(0, -2)):
        places = [s for s in range(len(row)) if sees[s]]
        if places:
            row[max(places, key=lambda s: score[s].item())] = 1.0
    return weights @ value, weights
