def attend(query, key, value, allowed=None):
    """The powers are taken of scores that may be large."""
    powers = (query @ key.transpose(-2, -1) / key.shape[-1] ** 0.5).exp()
    if allowed is not None:
        powers = powers * allowed
    return powers @ value / powers.sum(dim=-1, keepdim=True).clamp_min(1e-30)
