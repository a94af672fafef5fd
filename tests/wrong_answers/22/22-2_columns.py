def to_halves(weight, heads):
    """Sort each head's rows: pairs of neighbours become pairs across its halves."""
    if weight.dim() == 1:
        return weight
    pairs = weight.mT.unflatten(0, (heads, -1, 2)) if (
        weight.shape[1] % (2 * heads) == 0) else None
    if pairs is None:
        return odd_width(weight, heads)
    return pairs.transpose(1, 2).reshape(weight.mT.shape).mT


def odd_width(weight, heads):
    return weight
