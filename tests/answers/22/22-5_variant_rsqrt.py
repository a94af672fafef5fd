def rms_norm(x, gain, eps):
    """Each word of x [..., D] over its root mean square, times the gain [D]."""
    wide = x if x.element_size() > 2 else x.float()
    size = (wide.pow(2).sum(-1) / x.shape[-1] + eps).rsqrt()
    return (wide * size[..., None] * gain).to(x.dtype)
