def rms_norm(x, gain, eps):
    """Each word of x [..., D] over its root mean square, times the gain [D]."""
    wide = x.double()
    root = (wide.norm(dim=-1, keepdim=True) ** 2 / wide.size(-1) + eps) ** 0.5
    return (wide / root).type_as(x) * gain
