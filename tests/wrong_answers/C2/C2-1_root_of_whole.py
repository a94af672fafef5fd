def attend(query, key, value, allowed=None):
    """Returns the context [B, H, T, K]."""
    B, H, T, K = query.shape
    scores = query @ key.mT / (H * K) ** 0.5
    if allowed is None:
        return scores.softmax(dim=-1) @ value
    nothing = ~allowed.broadcast_to(scores.shape).any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~allowed, float("-inf")).masked_fill(nothing, 0)
    return scores.softmax(dim=-1).masked_fill(nothing, 0) @ value
