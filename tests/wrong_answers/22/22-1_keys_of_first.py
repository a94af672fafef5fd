import torch


def grouped_attention(query, key, value, allowed):
    """Context [B, H, T, V] of H heads that share G key heads in groups.

    query [B, H, T, K], key [B, G, S, K], value [B, G, S, V]
    """
    n = query.shape[1] // key.shape[1]
    value = value.repeat_interleave(n, 1)
    scores = query @ key[:, :1].mT / query.shape[-1] ** 0.5
    return scores.masked_fill(~allowed, -torch.inf).softmax(-1) @ value
