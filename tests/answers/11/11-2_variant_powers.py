def masked_attention(query, key, value, allowed):
    """Returns answers [..., T, D] and weights [..., T, S]."""
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5    # [..., T, S]
    hidden = ~allowed.broadcast_to(scores.shape)
    largest = scores.masked_fill(hidden, -1e30).amax(dim=-1, keepdim=True).detach()
    powers = (scores - largest).masked_fill(hidden, -1e4).exp().masked_fill(hidden, 0.0)
    total = powers.sum(dim=-1, keepdim=True)
    weights = powers / total.masked_fill(total == 0, 1.0)
    return weights @ value, weights
