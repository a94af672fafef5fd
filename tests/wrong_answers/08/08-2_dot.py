def near(query, key):
    """Returns scores [..., T, S]: the nearer, the higher."""
    return query @ key.transpose(-2, -1)
