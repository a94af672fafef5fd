def to_halves(weight, heads):
    """Rows made for pairs of neighbours, in the order for pairs by halves."""
    HK, D = weight.shape
    return weight.view(heads, HK // heads // 2, 2, D).transpose(1, 2).reshape(HK, D)
