def even(query, key, value, allowed=None):
    """Returns context [B, H, T, K] and weights [B, H, T, S]."""
    shape = *query.shape[:-1], key.shape[-2]
    places = allowed.broadcast_to(shape).to(query.dtype)        # [B, H, T, S], 1 or 0
    weights = places / places.sum(dim=-1,
                                  keepdim=True).clamp(min=1)    # [B, H, T, S]
    return weights @ value, weights
