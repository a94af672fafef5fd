def to_halves(weight, heads):
    """Sort each head's rows: pairs of neighbours become pairs across its halves."""
    return weight.unflatten(0, (-1, 2)).transpose(0, 1).reshape(weight.shape)
