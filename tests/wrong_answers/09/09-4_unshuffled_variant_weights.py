def after_shuffle(new, weights, order):
    """Returns new words [T, D] and weights [T, T] of the shuffled sentence."""
    return new[order], weights.clone()
