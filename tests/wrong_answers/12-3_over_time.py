def layer_norm(words, gain, bias, eps):
    """Returns normalised words [T, D]."""
    left = words - words.mean(dim=0, keepdim=True)
    variance = left.square().mean(dim=0, keepdim=True)
    return left / (variance + eps).sqrt() * gain + bias
