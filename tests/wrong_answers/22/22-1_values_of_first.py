def grouped_attention(query, key, value, allowed):
    """Context [B, H, T, V] of H heads that share G key heads in groups.

    query [B, H, T, K], key [B, G, S, K], value [B, G, S, V]
    """
    group = query.shape[1] // key.shape[1]
    key = key.repeat_interleave(group, dim=1)        # [B, H, S, K]
    value = value[:, :1]    # [B, H, S, V]
    scores = query @ key.mT / key.shape[-1] ** 0.5   # [B, H, T, S]
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    return weights @ value                           # [B, H, T, V]
