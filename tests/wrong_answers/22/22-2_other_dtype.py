def to_halves(weight, heads):
    """Sort each head's rows: pairs of neighbours become pairs across its halves."""
    pairs = weight.unflatten(0, (heads, -1, 2))
    return pairs.transpose(1, 2).reshape(weight.shape).float()
