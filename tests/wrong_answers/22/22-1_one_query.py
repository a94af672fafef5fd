from softdict.attention import attention


def grouped_attention(query, key, value, allowed):
    """Context [B, H, T, V] of H heads that share G key heads in groups.

    query [B, H, T, K], key [B, G, S, K], value [B, G, S, V]
    """
    G = key.shape[1]
    group = query.shape[1] // G
    shared = query.unflatten(1, (G, group)).mean(dim=2)           # [B, G, T, K]
    context, _ = attention(shared, key, value, allowed)           # [B, G, T, V]
    return context.repeat_interleave(group, dim=1)
