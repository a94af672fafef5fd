import torch


def hidden_weights(scores, allowed):
    """Returns weights [B, T, S] with exactly 0 for the pads of each sentence."""
    weights = torch.zeros_like(scores)
    for n, real in enumerate(allowed):
        weights[n][:, real] = scores[n][:, real].softmax(dim=-1)
    return weights
