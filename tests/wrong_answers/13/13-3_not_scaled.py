def layer_norm(x, gain, bias, eps):
    """Returns normalised x [T, D]."""
    return (x - x.mean(dim=-1, keepdim=True)) * gain + bias
