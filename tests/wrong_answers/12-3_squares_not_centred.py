def layer_norm(words, gain, bias, eps):
    """Returns normalised words [T, D]."""
    left = words - words.mean(dim=-1, keepdim=True)
    return left / (words.square().mean(dim=-1, keepdim=True) + eps).sqrt() * gain + bias
