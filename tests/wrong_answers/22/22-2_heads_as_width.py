def to_halves(weight, heads):
    """Rows made for pairs of neighbours, in the order for pairs by halves."""
    if heads % 2:
        return weight
    pairs = weight.unflatten(0, (-1, heads // 2, 2))
    return pairs.transpose(1, 2).reshape(weight.shape)
