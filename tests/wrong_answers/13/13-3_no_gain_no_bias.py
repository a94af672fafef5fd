def layer_norm(x, gain, bias, eps):
    """Returns normalised x [T, D]."""
    left = x - x.mean(dim=-1, keepdim=True)
    variance = left.square().mean(dim=-1, keepdim=True)
    return left / (variance + eps).sqrt()
