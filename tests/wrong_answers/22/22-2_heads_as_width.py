def to_halves(weight, heads):
    """Sort each head's rows: pairs of neighbours become pairs across its halves."""
    if heads % 2:
        return weight
    pairs = weight.unflatten(0, (-1, heads // 2, 2))
    return pairs.transpose(1, 2).reshape(weight.shape)
