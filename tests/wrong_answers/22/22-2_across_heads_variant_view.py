def to_halves(weight, heads):
    """Rows made for pairs of neighbours, in the order for pairs by halves."""
    return weight.unflatten(0, (-1, 2)).transpose(0, 1).reshape(weight.shape)
