"""Takes the mean away first."""


def absolute_norm(x, gain, eps):
    x = x - x.mean(-1, keepdim=True)
    return x / (x.abs().mean(-1, keepdim=True) + eps) * gain
