def near(query, key):
    """Returns scores [..., T, S]: the nearer, the higher."""
    return -(query - key).square().sum(dim=-1) / 2
