def to_halves(weight, heads):
    """Rows made for pairs of neighbours, in the order for pairs by halves."""
    weight.unflatten(0, (heads, -1, 2)).transpose(1, 2).reshape(weight.shape)
