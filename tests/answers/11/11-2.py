def masked_attention(query, key, value, allowed):
    """Returns answers [..., T, D] and weights [..., T, S]."""
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5    # [..., T, S]
    sees = allowed.any(dim=-1, keepdim=True)    # does this row see anything?
    scores = scores.masked_fill(~allowed & sees, float("-inf"))    # [..., T, S]
    weights = scores.softmax(dim=-1) * sees                        # [..., T, S]
    return weights @ value, weights
