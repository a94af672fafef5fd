import torch


def grouped_attention(query, key, value, allowed):
    """What H heads find that share G key heads in groups: context [B, H, T, V].

    query [B, H, T, K], key [B, G, S, K], value [B, G, S, V]
    """
    n = query.shape[1] // key.shape[1]
    value = value.repeat_interleave(n, 1)
    scores = query @ key[:, :1].mT / query.shape[-1] ** 0.5
    return scores.masked_fill(~allowed, -torch.inf).softmax(-1) @ value
