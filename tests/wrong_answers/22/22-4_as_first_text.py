from softdict.masks import causal_mask


def placed(real):
    """Where words stand and look: real [B, S] is False for pads in front.

    returns positions [B, S] and allowed [B, S, S]
    """
    positions = (real[:1].cumsum(dim=1) - 1).clamp(min=0).expand_as(real)
    causal = causal_mask(real.shape[1], real.device)     # [S, S]
    return positions, causal & real[:, None, :]          # [B, S], [B, S, S]
