def layer_norm(x, gain, bias, eps):
    """Returns normalised x [T, D]."""
    for word in x:
        left = word - word.mean()
        new = left / (left.square().mean() + eps).sqrt() * gain + bias
    return new
