

def mean_context(query, states, allowed):
    real = allowed.float()
    weights = real / real.sum(dim=-1, keepdim=True)
    return weights[:, None] @ states, weights
