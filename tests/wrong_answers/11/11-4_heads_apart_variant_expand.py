def for_torch(allowed, heads):
    B, T, S = allowed.shape
    return ~allowed[:, None].expand(B, heads, T, S)
