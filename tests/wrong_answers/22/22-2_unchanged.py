def to_halves(weight, heads):
    """Rows made for pairs of neighbours, in the order for pairs by halves."""
    return weight.clone()
