import torch


def mean_context(query, states, allowed):
    """Returns contexts [B, D] and weights [B, S] that do not depend on the query."""
    weights = torch.full(allowed.shape, 1 / allowed.shape[1])
    return (weights[:, None] @ states)[:, 0], weights
