def masked_attention(query, key, value, allowed):
    """Returns answers [..., T, D] and weights [..., T, S]."""
    scores = query @ key.transpose(-2, -1)
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    return weights @ value, weights
