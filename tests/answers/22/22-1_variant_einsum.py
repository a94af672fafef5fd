import torch


def grouped_attention(query, key, value, allowed):
    """Context [B, H, T, V] of H heads that share G key heads in groups.

    query [B, H, T, K], key [B, G, S, K], value [B, G, S, V]
    """
    (B, H, T, K), G = query.shape, key.shape[1]
    query = query.reshape(B, G, H // G, T, K) / K ** 0.5
    scores = torch.einsum("bgntk,bgsk->bgnts", query, key)
    hidden = ~allowed.reshape(-1, 1, 1, *allowed.shape[-2:])
    weights = scores.masked_fill(hidden, -1e9).softmax(dim=-1)
    return torch.einsum("bgnts,bgsv->bgntv", weights, value).reshape(B, H, T, -1)
