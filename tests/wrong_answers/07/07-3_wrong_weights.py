import torch


def hidden_weights(scores, allowed):
    scores = scores.masked_fill(~allowed[:, None], -torch.inf)
    return torch.softmax(scores / scores.shape[-1], dim=-1)
