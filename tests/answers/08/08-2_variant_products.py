from softdict.lookup import dot


def near(query, key):
    """Returns scores [..., T, S]: the nearer, the higher."""
    lengths = (query.square().sum(dim=-1)[..., :, None]
               + key.square().sum(dim=-1)[..., None, :])
    return dot(query, key) - lengths / 2
