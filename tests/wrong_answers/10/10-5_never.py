def drop_weights(weights, p, training):
    """Returns weights [B, H, T, S]; in training some are 0, and the others larger."""
    return weights
