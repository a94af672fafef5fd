import torch.nn.functional as F


def grouped_attention(query, key, value, allowed):
    """Context [B, H, T, V] of H heads that share G key heads in groups.

    query [B, H, T, K], key [B, G, S, K], value [B, G, S, V]
    """
    return F.scaled_dot_product_attention(query, key, value, attn_mask=allowed,
                                          enable_gqa=True)
