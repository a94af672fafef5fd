def mean_context(query, states, allowed):
    """Returns contexts [B, D] and weights [B, S] that do not depend on the query."""
    real = allowed.float()
    weights = real / real.sum(dim=-1, keepdim=True)
    return states.mean(dim=1), weights
