def rms_norm(x, gain, eps):
    """Each word of x [..., D] over its root mean square, times the gain [D]."""
    square = x.square().mean(dim=-1, keepdim=True)
    return x / (square + eps).sqrt() * gain
