

def attend(query, states, allowed):
    """Returns the context [B, D] and the weights [B, S]."""
    scores = (query[:, None, :] * states).sum(dim=-1)
    scores[~allowed] = float("-inf")
    weights = scores.softmax(dim=-1)
    context = (weights[:, :, None] * states).mean(dim=1)
    return context, weights
