def grouped_attention(query, key, value, allowed):
    """Context [B, H, T, V] of H heads that share G key heads in groups.

    query [B, H, T, K], key [B, G, S, K], value [B, G, S, V]
    """
    group = query.shape[1] // key.shape[1]
    query = query.unflatten(1, (-1, group)).mean(dim=2)
    scores = query @ key.mT / key.shape[-1] ** 0.5
    return scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1) @ value
