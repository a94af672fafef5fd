def to_halves(weight, heads):
    """Rows made for pairs of neighbours, in the order for pairs by halves."""
    rows = weight.unflatten(0, (heads, -1, 2)).transpose(1, 2)
    return rows.reshape(weight.shape).numpy()
