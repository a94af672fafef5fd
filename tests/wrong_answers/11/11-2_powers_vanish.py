def masked_attention(query, key, value, allowed):
    """Returns answers [..., T, D] and weights [..., T, S]."""
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5    # [..., T, S]
    powers = scores.masked_fill(~allowed, float("-inf")).exp()    # [..., T, S]
    sees = allowed.any(dim=-1, keepdim=True)
    weights = (powers / powers.sum(dim=-1, keepdim=True)).masked_fill(~sees, 0.0)
    return weights @ value, weights
