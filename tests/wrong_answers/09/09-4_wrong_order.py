def after_shuffle(new, weights, order):
    """Returns new words [T, D] and weights [T, T] of the shuffled sentence."""
    return new.flip(0), weights.flip(0).flip(1)
