def layer_norm(x, gain, bias, eps):
    """Returns normalised x [T, D]."""
    left = x - x.mean(dim=-1, keepdim=True)
    return left / (x.square().mean(dim=-1, keepdim=True) + eps).sqrt() * gain + bias
