def layer_norm(x, gain, bias, eps):
    """Returns normalised x [T, D]."""
    x -= x.mean(dim=-1, keepdim=True)
    x /= (x.square().mean(dim=-1, keepdim=True) + eps).sqrt()
    return x * gain + bias
