def right_layer(query, key, value):
    """Returns new words [B, T, D] and weights [B, T, S]."""
    scores = query @ key.transpose(-2, -1) / key.shape[-1] ** 0.5
    weights = scores.softmax(dim=-2)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ value, weights
