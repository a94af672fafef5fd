def grouped_attention(query, key, value, allowed):
    """Context [B, H, T, V] of H heads that share G key heads in groups.

    query [B, H, T, K], key [B, G, S, K], value [B, G, S, V]
    """
    G = key.shape[1]
    query = query.unflatten(1, (G, -1))
    scores = query @ key[:, :, None].mT / query.shape[-1] ** 0.5
    if allowed.dim() == 4:
        allowed = allowed[:, None]
    scores = scores.masked_fill(~allowed, float("-inf"))
    return (scores.softmax(dim=-1) @ value[:, :, None]).flatten(1, 2)
