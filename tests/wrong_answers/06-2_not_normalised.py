def mean_context(query, encoded):
    """Returns contexts [B, D] and weights [B, S] that do not depend on the query."""
    weights = encoded.allowed.float()
    return (weights[:, None] @ encoded.states)[:, 0], weights
