def rms_norm(x, gain, eps):
    """Each word of x [..., D] over its root mean square, times the gain [D]."""
    y = x.double()
    return (y / (y.square().mean(dim=1, keepdim=True) + eps).sqrt() * gain).to(x.dtype)
