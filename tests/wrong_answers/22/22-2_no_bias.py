def to_halves(weight, heads):
    """Sort each head's rows: pairs of neighbours become pairs across its halves."""
    HK, D = weight.shape
    return weight.view(heads, HK // heads // 2, 2, D).transpose(1, 2).reshape(HK, D)
