import torch


def grouped_attention(query, key, value, allowed):
    """Context [B, H, T, V] of H heads that share G key heads in groups.

    query [B, H, T, K], key [B, G, S, K], value [B, G, S, V]
    """
    G = key.shape[1]
    query = query.unflatten(1, (G, -1))
    scores = torch.einsum("bgntk,bgsk->bgnts", query, key) / query.shape[-1] ** 0.5
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    return torch.einsum("bgnts,bgsv->bgntv", weights, value).flatten(1, 2)
