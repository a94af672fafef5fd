def to_halves(weight, heads):
    """Sort each head's rows: pairs of neighbours become pairs across its halves."""
    K = len(weight) // heads
    order = [head * K + place for head in range(heads)
             for place in (*range(0, K, 2), *range(1, K, 2))]
    return weight[order]
