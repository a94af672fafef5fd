def to_halves(weight, heads):
    """Rows made for pairs of neighbours, in the order for pairs by halves."""
    halves = weight.unflatten(0, (heads, 2, -1))
    return halves.transpose(1, 2).reshape(weight.shape)
