def near(query, key):
    """Returns scores [..., T, S]: the nearer, the higher."""
    lengths = key.square().sum(dim=-1)[..., None, :]           # [..., 1, S]
    return query @ key.transpose(-2, -1) - lengths / 2         # [..., T, S]
