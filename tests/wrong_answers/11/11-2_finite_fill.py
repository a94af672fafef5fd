def masked_attention(query, key, value, allowed):
    """Returns answers [..., T, D] and weights [..., T, S]."""
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5    # [..., T, S]
    weights = scores.masked_fill(~allowed, -1.0).softmax(dim=-1)
    return weights @ value, weights
