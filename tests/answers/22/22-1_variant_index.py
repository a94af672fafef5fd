import torch
from softdict.attention import attention


def grouped_attention(query, key, value, allowed):
    """Context [B, H, T, V] of H heads that share G key heads in groups.

    query [B, H, T, K], key [B, G, S, K], value [B, G, S, V]
    """
    H, G = query.shape[1], key.shape[1]
    shared = torch.arange(H, device=query.device) // (H // G)
    context, _ = attention(query, key[:, shared], value[:, shared], allowed)
    return context
