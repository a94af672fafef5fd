def to_halves(weight, heads):
    """Rows made for pairs of neighbours, in the order for pairs by halves."""
    K = len(weight) // heads
    order = [head * K + place for head in range(heads)
             for place in (*range(0, K, 2), *range(1, K, 2))]
    return weight[order]
