def attend(query, key, value, allowed=None):
    """Hidden keys get a number that is only large."""
    scores = query @ key.transpose(-2, -1) / key.shape[-1] ** 0.5
    if allowed is None:
        return scores.softmax(dim=-1) @ value
    weights = scores.masked_fill(~allowed, -1e4).softmax(dim=-1)
    return weights * allowed.any(dim=-1, keepdim=True) @ value
