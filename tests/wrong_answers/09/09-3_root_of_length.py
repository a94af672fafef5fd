def right_layer(query, key, value):
    """Returns new words [B, T, D] and weights [B, T, S]."""
    weights = (query @ key.transpose(-2, -1) / key.shape[1] ** 0.5).softmax(dim=-1)
    return weights @ value, weights
