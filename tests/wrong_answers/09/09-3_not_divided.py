def right_layer(query, key, value):
    """Returns new words [B, T, D] and weights [B, T, S]."""
    scores = query @ key.transpose(-2, -1)    # [B, T, S]
    weights = scores.softmax(dim=-1)                                 # [B, T, S]
    return weights @ value, weights
