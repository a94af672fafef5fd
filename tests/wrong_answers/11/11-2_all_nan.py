def masked_attention(query, key, value, allowed):
    """Returns answers [..., T, D] and weights [..., T, S]."""
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = (scores + ~allowed * float("-inf")).softmax(dim=-1)
    return weights @ value, weights
