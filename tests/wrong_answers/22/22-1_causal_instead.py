import torch.nn.functional as F


def grouped_attention(query, key, value, allowed):
    """Context [B, H, T, V] of H heads that share G key heads in groups.

    query [B, H, T, K], key [B, G, S, K], value [B, G, S, V]
    """
    n_rep = query.size(1) // key.size(1)
    key = key.repeat_interleave(n_rep, dim=1)
    value = value.repeat_interleave(n_rep, dim=1)
    return F.scaled_dot_product_attention(query, key, value, is_causal=True)
