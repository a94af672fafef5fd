def to_halves(weight, heads):
    """Sort each head's rows: pairs of neighbours become pairs across its halves."""
    weight.unflatten(0, (heads, -1, 2)).transpose(1, 2).reshape(weight.shape)
