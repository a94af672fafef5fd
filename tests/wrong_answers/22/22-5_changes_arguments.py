def rms_norm(x, gain, eps):
    """Each word of x [..., D] over its root mean square, times the gain [D]."""
    root = (x.float().square().mean(dim=-1, keepdim=True) + eps).sqrt()
    x /= root
    return x * gain
