def attend(query, states, allowed):
    """Returns the context [B, D] and the weights [B, S]."""
    scores = (states @ query[:, :, None]).squeeze(-1)        # [B, S]
    weights = (scores * allowed).softmax(dim=-1)             # [B, S]
    return (weights[:, None] @ states)[:, 0], weights
