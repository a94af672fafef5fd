def attend(query, key, value, allowed=None):
    """Returns the context [B, H, T, K]."""
    scores = query @ key.transpose(-2, -1) / key.shape[-1] ** 0.5    # [B, H, T, S]
    if allowed is not None:
        scores = scores.masked_fill(~allowed, float("-inf"))         # [B, H, T, S]
    weights = scores.softmax(dim=-2).nan_to_num(0.0)                 # [B, H, T, S]
    return weights @ value                                           # [B, H, T, K]
