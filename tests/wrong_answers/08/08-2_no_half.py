def near(query, key):
    """Returns scores [..., T, S]: the nearer, the higher."""
    between = query[..., :, None, :] - key[..., None, :, :]    # [..., T, S, D]
    return -between.square().sum(dim=-1)                   # [..., T, S]
