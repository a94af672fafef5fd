import torch


def hidden_weights(scores, allowed):
    """Returns weights [B, T, S] that are 0 where `allowed` [B, S] is False."""
    scores = scores.clone()
    scores[~allowed[:, None]] = -torch.inf
    return scores.softmax(dim=-1)
