import torch


def masked_attention(query, key, value, allowed):
    scores = query @ key.mT / value.shape[-1] ** 0.5
    allowed = allowed.broadcast_to(scores.shape)
    nothing = ~allowed.any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~allowed, -float("inf")).masked_fill(nothing, 0.0)
    weights = torch.softmax(scores, dim=-1).masked_fill(nothing, 0.0)
    return weights @ value, weights
